import { longestTimerMs } from '@farhand/kit/sleep'
import { Unreachable } from './refusal.ts'

/** Aborts `signal` when the server is silent for too long, or when the caller aborts. */
export type Watchdog = {
  signal: AbortSignal
  /** From now on the server should say something. */
  expect(): void
  /** The server said something, or the caller does not read for a while: silence does not count. */
  rest(): void
  /** Stops the timer and aborts an exchange that is still open. */
  stop(): void
}

// Made once: to make an Error with its stack costs more than the rest of a small exchange.
const stopped = new Unreachable('the caller does not wait for this any more')

/** Watches one exchange. A dead socket reports nothing: only silence shows it. */
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
      controller.abort(stopped)
    },
  }
}
