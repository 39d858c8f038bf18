/** A page in the background is drawn rarely, and asked for no frames. */
const hiddenMs = 250
/** Twenty times a second is as good to read as sixty. */
const apartMs = 50
/** A slow phone draws for this part of the time at most: the rest is for whoever types meanwhile. */
const share = 0.2
/** What is written is to be seen while it is, however slow the phone. */
const longestMs = 400

export type FramePorts = {
  isSeen(): boolean
  now(): number
  /** Before the page is painted next. */
  next(draw: () => void): void
  /** After the page was painted. */
  painted(seen: () => void): void
  later(draw: () => void, ms: number): void
}

const browserFrames: FramePorts = {
  isSeen: () => document.visibilityState === 'visible',
  now: () => performance.now(),
  next: (draw) => void requestAnimationFrame(draw),
  // Asked for before a frame is painted, this comes after it, and other than a timer without delay.
  painted: (seen) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      seen()
    }
    port2.postMessage(null)
  },
  later: (draw, ms) => void setTimeout(draw, ms),
}

/**
 * Calls back when there is time to draw: at once after a pause, and not with every frame while much happens. How long a
 * frame takes is known from the last one: from the first script that draws to what is on the screen.
 */
export function calmFrames(ports = browserFrames): (draw: () => void) => void {
  let drawnAt = Number.NEGATIVE_INFINITY
  let pauseMs = apartMs
  return (draw) => {
    if (!ports.isSeen()) return ports.later(draw, hiddenMs)
    const next = () =>
      ports.next(() => {
        const at = ports.now()
        drawnAt = at
        ports.painted(() => {
          pauseMs = Math.min(Math.max((ports.now() - at) / share, apartMs), longestMs)
        })
        draw()
      })
    const early = drawnAt + pauseMs - ports.now()
    if (early > 0) ports.later(next, early)
    else next()
  }
}
