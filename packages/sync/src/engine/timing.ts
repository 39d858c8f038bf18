import { sleep } from '@farhand/kit/sleep'

/** The clock, which a simulation replaces by its own. */
export type Timing = { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> }

export const realTiming: Timing = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    signal.throwIfAborted()
    await sleep(ms, { wake: (ring) => onAbort(signal, ring) })
    signal.throwIfAborted()
  },
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/** Each path that is tried again later waits by itself, and Node takes more than ten listeners for a leak: one serves all. */
function onAbort(signal: AbortSignal, ring: () => void): () => void {
  let rings = waiting.get(signal)
  if (!rings) {
    const all = new Set<() => void>()
    rings = all
    waiting.set(signal, all)
    signal.addEventListener('abort', () => all.forEach((ring) => void ring()), { once: true })
  }
  rings.add(ring)
  return () => void rings.delete(ring)
}
