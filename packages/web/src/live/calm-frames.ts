/** A page in the background is drawn rarely, and asked for no frames. */
const hiddenMs = 250
/** Twenty times a second is as good to read as sixty, and leaves a slow phone time for whoever types meanwhile. */
const apartMs = 50

export type FramePorts = {
  isSeen(): boolean
  now(): number
  /** Before the page is painted next. */
  next(draw: () => void): void
  later(draw: () => void, ms: number): void
}

const browserFrames: FramePorts = {
  isSeen: () => document.visibilityState === 'visible',
  now: () => performance.now(),
  next: (draw) => void requestAnimationFrame(draw),
  later: (draw, ms) => void setTimeout(draw, ms),
}

/** Calls back when there is time to draw: at once after a pause, and not with every frame while much happens. */
export function calmFrames(ports = browserFrames): (draw: () => void) => void {
  let drawnAt = Number.NEGATIVE_INFINITY
  return (draw) => {
    if (!ports.isSeen()) return ports.later(draw, hiddenMs)
    const next = () =>
      ports.next(() => {
        drawnAt = ports.now()
        draw()
      })
    const early = drawnAt + apartMs - ports.now()
    if (early > 0) ports.later(next, early)
    else next()
  }
}
