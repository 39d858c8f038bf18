/** What Node calls a duplex stream. */
type Line = {
  readonly readableEnded: boolean
  readonly writableFinished: boolean
  readonly destroyed: boolean
  destroy(): unknown
  on(event: 'error' | 'close' | 'end', act: () => void): unknown
  pipe(to: never): unknown
  setTimeout?(ms: number, act: () => void): unknown
}

const halfOpenMs = 2 * 60_000

/** Makes one line of two: what comes out of each goes into the other, no faster than it is taken, and neither is left alone. */
export function pipeBothWays(one: Line, other: Line, { silentMs = halfOpenMs } = {}): void {
  const both = () => {
    one.destroy()
    other.destroy()
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    // Its end follows, which is all there is to do about it.
    from.on('error', () => {})
    from.on('close', () => {
      // One that is over in both directions may leave bytes that the other still has to send.
      if (!from.readableEnded || !from.writableFinished) to.destroy()
    })
    // A side that has said all may still listen for long, but not to nobody: silence then is the end.
    from.on('end', () => to.setTimeout?.(silentMs, both))
    from.pipe(to as never)
  }
  // What broke before anybody listened.
  if (one.destroyed || other.destroyed) both()
}
