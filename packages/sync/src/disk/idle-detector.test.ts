import { describe, expect, it } from 'vitest'
import { IdleDetector } from './idle-detector.ts'

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

describe('a process that is told when to rest', () => {
  it('rests once after much work, however often it is looked at since', () => {
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

  it('rests after much work in the middle of little', () => {
    expect(restsOf([20, 40, 60, 700, 720, 740, 760])).toBe(1)
  })

  it('rests again after as much work again, but not for what resting itself took', () => {
    expect(restsOf([600, 600, 600, 800, 800, 800, 1_400, 1_400, 1_400])).toBe(2)
  })
})
