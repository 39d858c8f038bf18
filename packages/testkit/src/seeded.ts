import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The seed that was asked for, or a new one. */
export const newSeed = (): number => inject('seed') ?? Math.floor(Math.random() * 2 ** 32)

/** What to enter to have the current test make the same random choices again. */
export function again(seed: number): string {
  const file = path.relative(root, expect.getState().testPath!).replaceAll('\\', '/')
  return `again with: npm test -- ${file} --seed ${seed}${inject('long') ? ' --long' : ''}`
}

/** Runs a drill; its failure says with which seed, how to have it again, and what is left to look at. */
export async function seeded(act: (seed: number) => Promise<void>, left: () => string): Promise<void> {
  const seed = newSeed()
  try {
    await act(seed)
  } catch (cause) {
    const lines = [`seed ${seed}: ${(cause as Error).message}`, again(seed), left()]
    throw new Error(lines.join('\n'), { cause })
  }
}
