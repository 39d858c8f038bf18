import { newId, RunId, UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { RunViewers } from './run-viewers.ts'

const run = newId(RunId, 'run')
const [ada, bob] = [newId(UserId, 'usr'), newId(UserId, 'usr')]
const looking = { client: 'tab1', isLooking: true }

describe('who views a run', () => {
  it('W49 W115 is believed for a minute, typing for ten seconds, each user for themselves', () => {
    const viewers = new RunViewers()
    viewers.say(run, { user: ada, ...looking, isTyping: true }, 0)
    viewers.say(run, { user: bob, ...looking }, 5_000)
    expect(viewers.forMs(run, ada, 10_000)).toBe(50_000)
    expect(viewers.present(run, 9_999)).toEqual({
      users: new Map([
        [ada, true],
        [bob, false],
      ]),
      forMs: 1,
    })
    expect(viewers.present(run, 10_000).users.get(ada)).toBe(false)
    expect(viewers.forMs(run, ada, 60_000)).toBeNull()
    expect(viewers.forMs(run, bob, 60_000)).toBe(5_000)
    expect(viewers.present(run, 65_000)).toEqual({ users: new Map(), forMs: null })
  })

  it('W115 a user cannot end what a client of another user said, nor fill the memory with names', () => {
    const viewers = new RunViewers()
    viewers.say(run, { user: ada, ...looking }, 0)
    viewers.say(run, { user: bob, client: 'tab1', isLooking: false }, 0)
    expect(viewers.forMs(run, ada, 0)).toBe(60_000)
    for (let n = 0; n < 1000; n++) viewers.say(run, { user: bob, client: `tab${n}`, isLooking: true }, n)
    // The earliest 199 are known; the rest was not taken.
    expect(viewers.forMs(run, bob, 1000)).toBeLessThan(59_300)
  })
})
