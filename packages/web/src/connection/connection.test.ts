import { Unreachable } from '@farhand/client/requests/refusal'
import { describe, expect, it } from 'vitest'
import { connectionInWords, connectionOf } from './connection.ts'

describe('a connection in words', () => {
  it('counts down to the next try, and never below nothing', () => {
    const retrying = connectionOf({ is: 'retrying', at: 5_000, why: new Unreachable('gone'), failures: 2 })
    expect(connectionInWords(retrying, 1_500)).toBe('Reconnecting in 4 s')
    expect(connectionInWords(retrying, 9_000)).toBe('Reconnecting')
  })

  it('says how much is still to come once that is known', () => {
    expect(connectionInWords(connectionOf({ is: 'catching-up' }), 0)).toBe('Catching up')
    expect(connectionInWords({ is: 'catching-up', toGo: 1 }, 0)).toBe('Catching up 1 event')
    expect(connectionInWords({ is: 'catching-up', toGo: 1200 }, 0)).toBe('Catching up 1,200 events')
  })

  it('does not call a connection lost that waits for a network', () => {
    expect(connectionInWords(connectionOf({ is: 'offline' }), 0)).toBe('Offline')
  })

  it('is offline without a network until a hub on this machine answers all the same', () => {
    const retrying = { is: 'retrying', at: 5_000, why: new Unreachable('gone'), failures: 2 } as const
    const states = [{ is: 'connecting' }, retrying, { is: 'catching-up' }, { is: 'live' }] as const
    expect(states.map((state) => connectionOf(state, false).is)).toEqual([
      'offline',
      'offline',
      'catching-up',
      'live',
    ])
  })
})
