/** What Node calls a duplex stream. */
type Duplex = {
  readonly readableEnded: boolean
  readonly writableFinished: boolean
  readonly destroyed: boolean
  destroy(): unknown
  on(event: 'error' | 'close' | 'end', act: () => void): unknown
  pipe(to: never): unknown
  setTimeout?(ms: number, act: () => void): unknown
}

const halfOpenMs = 2 * 60_000

/** Connects two streams: what one of them receives is written to the other, with backpressure, and both end together. */
export function pipeBothWays(one: Duplex, other: Duplex, { silentMs = halfOpenMs } = {}): void {
  const both = () => {
    one.destroy()
    other.destroy()
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    // A 'close' event follows, and is handled below.
    from.on('error', () => {})
    from.on('close', () => {
      // After a clean end in both directions the other stream may still have bytes to send.
      if (!from.readableEnded || !from.writableFinished) to.destroy()
    })
    // A peer that has sent everything may still listen for long; but if nothing comes for it, both streams are closed.
    from.on('end', () => to.setTimeout?.(silentMs, both))
    from.pipe(to as never)
  }
  // A stream that was destroyed before this call emits no more events.
  if (one.destroyed || other.destroyed) both()
}
