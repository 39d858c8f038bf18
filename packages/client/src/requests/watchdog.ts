import { longestTimerMs } from '@farhand/kit/sleep'
import { Unreachable } from './refusal.ts'

/** Ends what waits on `signal` when nothing was heard for too long, or when whoever asked for it stops. */
export type Watchdog = {
  signal: AbortSignal
  /** From now on something should be heard. */
  expect(): void
  /** Something was heard, or nobody is listening for a while: silence does not count. */
  rest(): void
  /** Lets go of everything; an exchange that is still open is broken off. */
  stop(): void
}

// Made once: to make a reason, with where it was made, costs more than the rest of a small exchange.
const overAndDone = new Unreachable('nobody waits for this any more')

/** Watches one exchange. A socket can be dead without saying so: only silence tells. */
export function watchdog(silenceMs: number, outer: AbortSignal | undefined): Watchdog {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const onOuterAbort = () => controller.abort(outer?.reason)
  if (outer?.aborted) onOuterAbort()
  outer?.addEventListener('abort', onOuterAbort, { once: true })
  return {
    signal: controller.signal,
    expect() {
      clearTimeout(timer)
      timer = setTimeout(
        () => controller.abort(new Unreachable(`nothing heard for ${silenceMs} ms`)),
        Math.min(silenceMs, longestTimerMs),
      )
    },
    rest() {
      clearTimeout(timer)
    },
    stop() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onOuterAbort)
      controller.abort(overAndDone)
    },
  }
}
