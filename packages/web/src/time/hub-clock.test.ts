import { describe, expect, it } from 'vitest'
import { HubClock } from './hub-clock.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')

/** A device that believes it is this many ms later than it is, and a hub that takes a while to answer. */
function device(aheadMs: number) {
  let now = noon
  const clock = new HubClock(() => now + aheadMs)
  const ask = clock.wrapFetch(async (_, init) => {
    const date = new Date(now).toUTCString()
    now += Number(new Headers(init?.headers).get('takes') ?? 0)
    return new Response(null, { headers: { date } })
  })
  return {
    clock,
    ask: (takes = 0) => ask('http://hub/', { headers: { takes: String(takes) } }),
    now: () => now,
  }
}

describe('the clock of a hub', () => {
  it('is right on a device whose own clock is wrong', async () => {
    for (const aheadMs of [600_000, -600_000]) {
      const { clock, ask } = device(aheadMs)
      await ask()
      expect(clock.now()).toBe(noon)
    }
  })

  it('is that of the device if the two are nearly the same', async () => {
    const { clock, ask } = device(900)
    await ask()
    expect(clock.now()).toBe(noon + 900)
  })

  it('is about right on a device whose own clock is wrong, though each answer takes long', async () => {
    for (const aheadMs of [600_000, -600_000]) {
      const { clock, ask, now } = device(aheadMs)
      await ask(8000)
      expect(Math.abs(clock.now() - now())).toBeLessThan(5000)
      // One that was quick says it better.
      await ask()
      await ask(8000)
      expect(clock.now()).toBe(now())
    }
  })

  it('is not changed by an answer that arrives after an hour of sleep', async () => {
    const { clock, ask, now } = device(0)
    await ask(3600_000)
    expect(clock.now()).toBe(now())
  })
})
