import { describe, expect, it } from 'vitest'
import { frameThrottle } from './frame-throttle.ts'

/** A browser in which nothing happens by itself. */
function browser() {
  const ports = {
    at: 1000,
    typing: false,
    seen: true,
    frames: [] as (() => void)[],
    painted: [] as (() => void)[],
    waits: [] as number[],
    costMs: 1,
  }
  const frame = frameThrottle({
    isVisible: () => ports.seen,
    isTyping: () => ports.typing,
    now: () => ports.at,
    next: (draw) => void ports.frames.push(draw),
    painted: (seen) => void ports.painted.push(seen),
    later: (draw, ms) => {
      ports.waits.push(ms)
      ports.at += ms
      draw()
    },
  })
  const paint = () => {
    for (const draw of ports.frames.splice(0)) draw()
    ports.at += ports.costMs
    for (const seen of ports.painted.splice(0)) seen()
  }
  return { ports, frame, paint }
}

describe('the next time to draw', () => {
  it('is the next frame after a pause', () => {
    const { ports, frame, paint } = browser()
    const drawn: string[] = []
    frame(() => drawn.push('a'))
    paint()
    ports.at += 60
    frame(() => drawn.push('b'))
    paint()
    expect([drawn, ports.waits]).toEqual([['a', 'b'], []])
  })

  it('is some frames later while much happens', () => {
    const { ports, frame, paint } = browser()
    frame(() => {})
    paint()
    ports.at += 10
    let drawn = 0
    frame(() => drawn++)
    expect([drawn, ports.waits]).toEqual([0, [39]])
    paint()
    expect(drawn).toBe(1)
  })

  it('is as much later as the last frame took long, so that most of the time is left', () => {
    const { ports, frame, paint } = browser()
    const waited = (costMs: number) => {
      ports.costMs = costMs
      ports.at += 1000
      frame(() => {})
      paint()
      frame(() => {})
      paint()
      return ports.waits.at(-1)! + costMs
    }
    expect([2, 40, 300].map(waited)).toEqual([50, 200, 400])
    ports.typing = true
    expect([2, 15, 300].map(waited)).toEqual([50, 150, 400])
  })

  it('also renders a hidden page, without an animation frame', () => {
    const { ports, frame } = browser()
    ports.seen = false
    let drawn = 0
    frame(() => drawn++)
    expect([drawn, ports.waits, ports.frames.length]).toEqual([1, [250], 0])
  })
})
