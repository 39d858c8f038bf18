import { describe, expect, it } from 'vitest'
import type { BackgroundLink } from './background-links.ts'
import { addDeath, type Deaths, decideKeeping, type FolderSeen, isOlder } from './decide-keeping.ts'
import type { LinkStatus } from './device-protocol.ts'

const live: BackgroundLink = { is: 'live', since: 0, words: [] }
const paused: BackgroundLink = { is: 'paused', since: 0, words: [] }
const now = (given: Partial<LinkStatus> = {}): LinkStatus => ({
  pid: 7,
  version: '1.2.0',
  url: 'http://a',
  isKept: true,
  since: 0,
  doing: { is: 'in-step', files: 3 },
  ...given,
})
const decide = (seen: Partial<FolderSeen>, at = 1_000_000) =>
  decideKeeping({ kept: live, url: 'http://a', holder: null, now: null, deaths: null, ...seen }, at, '1.2.0')

describe('a folder that should be kept', () => {
  it('is left alone as long as a thread or another process has it', () => {
    expect(decide({ holder: 'thread', now: now() })).toEqual({ do: 'nothing' })
    expect(decide({ holder: 'thread', now: null })).toEqual({ do: 'nothing' })
    expect(decide({ holder: 7, now: now({ isKept: false }) })).toEqual({ do: 'nothing' })
    expect(decide({ holder: 7, now: null })).toEqual({ do: 'nothing' })
  })

  it('is started if nothing has it, but not while the command that wanted it may be asking for that', () => {
    expect(decide({})).toEqual({ do: 'start' })
    const justNow: BackgroundLink = { ...live, since: 999_000 }
    expect(decide({ kept: justNow })).toEqual({ do: 'wait', until: 1_009_000 })
    expect(decide({ kept: justNow }, 1_009_000)).toEqual({ do: 'start' })
    // The clock was set back.
    expect(decide({ kept: { ...live, since: 9_000_000 } })).toEqual({ do: 'start' })
  })

  it('that died is started again later and later, and given up in the end', () => {
    let deaths: Deaths | null = null
    const waits: number[] = []
    for (let at = 1_000_000; ; at = deaths.nextAt) {
      deaths = addDeath(deaths, 50, at, () => 1)
      const action = decide({ deaths }, at)
      if (action.do !== 'wait') {
        expect(action).toEqual({ do: 'give-up', times: 6 })
        break
      }
      waits.push(action.until - at)
      expect(decide({ deaths }, action.until)).toEqual({ do: 'start' })
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
  })

  it('that died after a long life has died for the first time', () => {
    expect(addDeath({ count: 5, at: 0, nextAt: 0 }, 60_000, 1).count).toBe(1)
  })

  it('is taken over from a process of an older program when nothing is under way, and never from a newer one', () => {
    expect(decide({ holder: 7, now: now({ version: '1.1.9' }) })).toEqual({ do: 'end' })
    expect(decide({ holder: 7, now: now({ version: '1.2.0' }) })).toEqual({ do: 'end' })
    expect(decide({ holder: 'thread', now: now({ version: '1.2.0' }) })).toEqual({ do: 'nothing' })
    const busy = now({ version: '1.1.9', doing: { is: 'busy', toSend: 1, toApply: 0 } })
    expect(decide({ holder: 7, now: busy })).toEqual({ do: 'nothing' })
    expect(decide({ holder: 7, now: now({ version: '1.10.0' }) })).toEqual({ do: 'nothing' })
  })
})

it('what looks for a hub where it was is started again for where it is', () => {
  expect(decide({ holder: 7, now: now(), url: 'http://b' })).toEqual({ do: 'end' })
  expect(decide({ holder: 'thread', now: now(), url: 'http://b' })).toEqual({ do: 'end' })
  expect(decide({ holder: 7, now: now({ isKept: false }), url: 'http://b' })).toEqual({ do: 'nothing' })
})

describe('a folder that should not be kept', () => {
  it('is let go of, unless the user keeps it in a terminal', () => {
    expect(decide({ kept: paused, holder: 'thread' })).toEqual({ do: 'end' })
    expect(decide({ kept: paused, holder: 7, now: now() })).toEqual({ do: 'end' })
    expect(decide({ kept: paused, holder: 7, now: now({ isKept: false }) })).toEqual({ do: 'nothing' })
    expect(decide({ kept: paused, holder: 7 })).toEqual({ do: 'nothing' })
    expect(decide({ kept: paused })).toEqual({ do: 'nothing' })
  })

  it('because it failed waits for the user', () => {
    const failed: BackgroundLink = { ...live, is: 'failed', message: 'no', nextStep: 'so' }
    expect(decide({ kept: failed })).toEqual({ do: 'nothing' })
  })
})

it('versions are compared as numbers', () => {
  expect(isOlder('0.9.0', '0.10.0')).toBe(true)
  expect(isOlder('0.10.0', '0.9.9')).toBe(false)
  expect(isOlder('1.0.0', '1.0.0')).toBe(false)
})
