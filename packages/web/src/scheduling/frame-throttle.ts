import { isTyping } from './typing.ts'

/** A browser renders hidden pages rarely and gives them no animation frames. */
const hiddenMs = 250
/** Twenty frames a second are enough for reading. */
const apartMs = 50
/** The largest part of the time that rendering may take on a slow device. */
const share = 0.2
/** The same while the user types. */
const shareWhileTyping = 0.1
/** Even on a slow device, new text appears after this time. */
const longestMs = 400

export type FramePorts = {
  isVisible(): boolean
  isTyping(): boolean
  now(): number
  /** Before the next paint. */
  next(draw: () => void): void
  /** After the paint. */
  painted(seen: () => void): void
  later(draw: () => void, ms: number): void
}

const browserFrames: FramePorts = {
  isVisible: () => document.visibilityState === 'visible',
  isTyping,
  now: () => performance.now(),
  next: (draw) => void requestAnimationFrame(draw),
  // A message posted before the paint arrives right after it; a timer may arrive later.
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
 * Limits how often the page renders: at once after a pause, less often while many events come. It measures the cost
 * of a frame from the first script to the paint.
 */
export function frameThrottle(ports = browserFrames): (draw: () => void) => void {
  let drawnAt = Number.NEGATIVE_INFINITY
  let costMs = 0
  return (draw) => {
    if (!ports.isVisible()) return ports.later(draw, hiddenMs)
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
