import { sleep } from '@farhand/kit/sleep'

/** The clock, which a simulation replaces by its own. */
export type Timing = { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> }

export const realTiming: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, { signal }),
}
