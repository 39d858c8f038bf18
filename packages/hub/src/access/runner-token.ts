import { RunId } from '@farhand/protocol/wire/ids'
import type { Secret } from './secret.ts'

const shape = /^fhr_(\d{1,9})_(run_[0-9A-Za-z]+)_([0-9A-Za-z_-]{43})$/

/**
 * The token of one generation of one run. It is derived, not stored: repeating a request after a lost response gives the same token,
 * and nothing has to be deleted, as a newer generation fences the older one in the log itself.
 */
export function runnerToken(secret: Secret, run: RunId, generation: number): string {
  return `fhr_${generation}_${run}_${secret.sign('runner', run, generation)}`
}

export function readRunnerToken(secret: Secret, token: string): { run: RunId; generation: number } | null {
  const match = shape.exec(token)
  if (!match) return null
  const generation = Number(match[1])
  const run = RunId.safeParse(match[2])
  if (!run.success || !secret.matches(match[3]!, 'runner', run.data, generation)) return null
  return { run: run.data, generation }
}
