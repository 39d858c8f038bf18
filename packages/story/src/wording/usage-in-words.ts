import type { Usage } from '../items/story.ts'

/** Tokens and cost in short; empty if the agent reports neither. */
export function usageInWords({ inputTokens, outputTokens, costUsd }: Usage): string[] {
  const tokens = (inputTokens ?? 0) + (outputTokens ?? 0)
  return [
    ...(tokens > 0 ? [`${countInWords(tokens)} tokens`] : []),
    ...(costUsd ? [costInWords(costUsd)] : []),
  ]
}

/** A sum of money, with cents if it is small. */
export function costInWords(usd: number): string {
  if (usd > 0 && usd < 0.01) return 'under $0.01'
  return `$${usd.toFixed(usd < 100 ? 2 : 0)}`
}

/** How full the agent's context window is; null if unknown. */
export function contextInWords({ context }: Usage): string | null {
  if (!context || context.size <= 0) return null
  return `${Math.min(100, Math.round((100 * context.used) / context.size))} % of its context used`
}

function countInWords(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}
