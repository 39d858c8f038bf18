export type SleepOptions = {
  signal?: AbortSignal | undefined
  /** Subscribes to what ends the sleep early; answers how to unsubscribe. */
  wake?: (ring: () => void) => () => void
}

/** The longest a timer can be set to, 24 days. One that is set to more goes off at once. */
export const longestTimerMs = 2 ** 31 - 1

/** Resolves after `ms` (never, if Infinity) or when woken; rejects with the signal's reason. Leaves nothing behind. */
export function sleep(ms: number, { signal, wake }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    let unsubscribe: (() => void) | undefined
    let settled = false
    const settle = (act: () => void) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      unsubscribe?.()
      act()
    }
    const onAbort = () => settle(() => reject(signal?.reason))
    const timer =
      ms === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => settle(resolve), Math.min(ms, longestTimerMs))
    signal?.addEventListener('abort', onAbort, { once: true })
    unsubscribe = wake?.(() => settle(resolve))
    // It may have rung while it was being subscribed to.
    if (settled) unsubscribe?.()
  })
}
