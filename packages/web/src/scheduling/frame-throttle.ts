import { isTyping } from './typing.ts'

/** A page in the background is drawn rarely, and asked for no frames. */
const hiddenMs = 250
/** Twenty times a second is as good to read as sixty. */
const apartMs = 50
/** A slow phone draws for this part of the time at most: it has other things to do, too. */
const share = 0.2
/** And for this part of it while somebody types. */
const shareWhileTyping = 0.1
/** What is written is to be seen while it is, however slow the phone. */
const longestMs = 400

export type FramePorts = {
  isSeen(): boolean
  isTyping(): boolean
  now(): number
  /** Before the page is painted next. */
  next(draw: () => void): void
  /** After the page was painted. */
  painted(seen: () => void): void
  later(draw: () => void, ms: number): void
}

const browserFrames: FramePorts = {
  isSeen: () => document.visibilityState === 'visible',
  isTyping,
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
export function frameThrottle(ports = browserFrames): (draw: () => void) => void {
  let drawnAt = Number.NEGATIVE_INFINITY
  let costMs = 0
  return (draw) => {
    if (!ports.isSeen()) return ports.later(draw, hiddenMs)
    const next = () =>
      ports.next(() => {
        const at = ports.now()
        drawnAt = at
        ports.painted(() => {
          costMs = ports.now() - at
        })
        draw()
      })
    const pauseMs = costMs / (ports.isTyping() ? shareWhileTyping : share)
    const early = drawnAt + Math.min(Math.max(pauseMs, apartMs), longestMs) - ports.now()
    if (early > 0) ports.later(next, early)
    else next()
  }
}
