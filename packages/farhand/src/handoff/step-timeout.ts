import type { Step } from './decide-handoff.ts'
import type { SeenRun } from './handoff-run.ts'

/** What is waited for, of which runner, and since when. */
export type Waiting = { for: 'rest' | 'end' | null; generation: number; since: number }

/**
 * How long a runner may take that says nothing. The last checkpoint of a large repository takes a while; one that has rested,
 * or that the hub does not hear any more, has nothing left to do but to end.
 */
export const stepTimeoutsMs = { rest: 120_000, end: 20_000 }

/** What is waited for now: the same as before, or from now on something else. */
export function waitingAfter(
  before: Waiting | null,
  step: Exclude<Step['do'], 'nothing'>,
  { generation, standing }: Pick<SeenRun, 'generation' | 'standing'>,
  now: number,
): Waiting {
  // One that says that it is busy has answered: what it is busy with takes as long as it takes, as a turn does.
  const isBusy = step === 'rest' && standing.rests === false
  const isEnding = step === 'take' && standing.isHostedHere
  const what = isEnding ? 'end' : step === 'rest' && !isBusy ? 'rest' : null
  const isSame = before !== null && before.for === what && before.generation === generation
  return isSame ? before : { for: what, generation, since: now }
}

/** Whether that has taken so long that it will not happen. */
export const hasTimedOut = (waiting: Waiting, now: number, mostMs = stepTimeoutsMs): boolean =>
  waiting.for !== null && now - waiting.since > mostMs[waiting.for]
