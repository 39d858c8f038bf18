import type { Provider } from './model-choice.ts'

const windows: readonly [RegExp, number][] = [
  [/^claude/, 200_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-4/, 128_000],
  [/^(gpt-|o\d)/, 272_000],
  [/^gemini/, 1_000_000],
]

/** How many tokens we count on for a model; too few only means that old results are shortened sooner. */
export function modelWindow(provider: Provider, model: string): number {
  // What a server of one's own makes room for is set there, and is often little.
  if (provider === 'local') return 32_000
  return windows.find(([name]) => name.test(model))?.[1] ?? 128_000
}
