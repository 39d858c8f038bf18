import { describe, expect, it } from 'vitest'
import { OnceAtRest } from './once-at-rest.ts'

/** A process that has used so much CPU at each look, and the looks at which it was told to rest. */
async function restsOf(cpuMs: readonly number[], stirs: (look: number) => boolean = () => true) {
  const rests: number[] = []
  let looks = 0
  let used = 0
  await new Promise<void>((done) => {
    const atRest: OnceAtRest = new OnceAtRest(
      async () => {
        rests.push(looks)
        used += 200
      },
      () => used + cpuMs[Math.min(looks, cpuMs.length - 1)]!,
      1,
    )
    const clock = setInterval(() => {
      looks++
      if (stirs(looks)) atRest.stirred()
      if (looks < cpuMs.length + 5) return
      clearInterval(clock)
      atRest.end()
      atRest.stirred()
      done()
    }, 20)
  })
  return rests.length
}

describe('a process that is told when to rest', () => {
  it('rests once after much work, however often it stirs since', async () => {
    expect(await restsOf([600, 600, 600, 600, 600])).toBe(1)
  })

  it('does not rest after little work', async () => {
    expect(await restsOf([10, 20, 30, 40, 40, 40])).toBe(0)
  })

  it('rests again after as much work again, but not for what resting itself took', async () => {
    expect(await restsOf([600, 600, 600, 800, 800, 800, 1_400, 1_400, 1_400])).toBe(2)
  })

  it('is not looked at while nothing stirs', async () => {
    expect(await restsOf([0, 0, 600, 600, 600], () => false)).toBe(0)
  })
})
