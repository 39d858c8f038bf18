import { describe, expect, it } from 'vitest'
import { IdleDetector } from './when-idle.ts'

/** How often it was told to rest, given the work done by each look; resting itself takes 200 ms. */
function restsOf(cpuMs: readonly number[]): number {
  const watch = new IdleDetector()
  let rests = 0
  for (const ms of cpuMs) {
    if (watch.look(ms + rests * 200) !== 'much done') continue
    rests += 1
    watch.rested(ms + rests * 200)
  }
  return rests
}

describe('the idle detector', () => {
  it('rests once after much work, no matter how often it is called after that', () => {
    expect(restsOf([600, 600, 600, 600, 600])).toBe(1)
  })

  it('does not rest while it works', () => {
    expect(restsOf([600, 1_200, 1_800, 2_400])).toBe(0)
  })

  it('does not rest after little work', () => {
    expect(restsOf([10, 20, 30, 40, 40, 40])).toBe(0)
  })

  it('does not rest after small work now and then, no matter how often', () => {
    expect(restsOf(Array.from({ length: 100 }, (_, n) => n * 20))).toBe(0)
  })

  it('rests after much work that comes between small work', () => {
    expect(restsOf([20, 40, 60, 700, 720, 740, 760])).toBe(1)
  })

  it('rests again after as much work again, without counting the work of the rest itself', () => {
    expect(restsOf([600, 600, 600, 800, 800, 800, 1_400, 1_400, 1_400])).toBe(2)
  })
})
