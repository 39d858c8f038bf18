import type { Step } from './decide-handoff.ts'
import type { RunState } from './handoff-run.ts'

/** What the handoff waits for, from which runner, and since when. */
export type Waiting = { for: 'rest' | 'end' | null; generation: number; since: number }

/**
 * How long a silent runner is waited for: to rest (the last checkpoint of a large repository takes a while), and to end
 * after that.
 */
export const stepTimeoutsMs = { rest: 120_000, end: 20_000 }

/** The same wait as before, or a new one that begins now. */
export function waitingAfter(
  before: Waiting | null,
  step: Exclude<Step['do'], 'nothing'>,
  { generation, standing }: Pick<RunState, 'generation' | 'standing'>,
  now: number,
): Waiting {
  // A runner that says it is busy has answered; its work may take as long as it needs.
  const isBusy = step === 'rest' && standing.rests === false
  const isEnding = step === 'take' && standing.isHostedHere
  const what = isEnding ? 'end' : step === 'rest' && !isBusy ? 'rest' : null
  const isSame = before !== null && before.for === what && before.generation === generation
  return isSame ? before : { for: what, generation, since: now }
}

export const hasTimedOut = (waiting: Waiting, now: number, mostMs = stepTimeoutsMs): boolean =>
  waiting.for !== null && now - waiting.since > mostMs[waiting.for]
