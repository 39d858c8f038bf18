import { Unreachable } from '@farhand/client/requests/refusal'
import { describe, expect, it } from 'vitest'
import type { Connection } from '../engine/hub-folder.ts'
import { ConnectionWatch } from './connection-watch.ts'

function watching() {
  const said: Connection[] = []
  return { said, watch: new ConnectionWatch((state) => said.push(state)) }
}
const away = new Unreachable('no hub answers')

describe('the reported state of a connection', () => {
  it('follows the reader of the log, and each state is reported once', () => {
    const { said, watch } = watching()
    for (const is of ['connecting', 'catching-up', 'live', 'live'] as const) watch.reading({ is })
    watch.reading({ is: 'retrying', at: 5, why: away, failures: 1 })
    watch.reading({ is: 'offline' })
    expect(said).toEqual([
      { is: 'connecting' },
      { is: 'live' },
      { is: 'offline', why: 'no hub answers', retryAt: 5 },
      { is: 'offline', why: 'there is no network', retryAt: null },
    ])
  })

  it('is not offline when the hub only asked for another connection', () => {
    const { said, watch } = watching()
    watch.reading({ is: 'live' })
    watch.reading({ is: 'retrying', at: 5, why: new Error('moved'), failures: 0 })
    expect(said).toEqual([{ is: 'live' }, { is: 'connecting' }])
  })

  it('is offline while any request to the hub fails, even if the log can be read', () => {
    const { said, watch } = watching()
    watch.reading({ is: 'live' })
    const [one, two] = [watch.attempt(), watch.attempt()]
    one.onTrouble(new Error('the disk is full'), 1000)
    two.onTrouble(new Error('slow'), 1000)
    one.recovered()
    one.recovered()
    two.recovered()
    expect(said.map((state) => (state.is === 'offline' ? state.why : state.is))).toEqual([
      'live',
      'the disk is full',
      'slow',
      'live',
    ])
  })

  it('says that the log is read again while something waits that failed before, until it fails anew', () => {
    const { said, watch } = watching()
    watch.reading({ is: 'live' })
    const attempt = watch.attempt()
    attempt.onTrouble(away, 1000)
    watch.reading({ is: 'retrying', at: 5, why: away, failures: 1 })
    watch.reading({ is: 'connecting' })
    watch.reading({ is: 'live' })
    attempt.onTrouble(new Error('away again'), 1000)
    attempt.recovered()
    expect(said.map((state) => (state.is === 'offline' ? [state.why, state.listening] : state.is))).toEqual([
      'live',
      ['no hub answers', undefined],
      ['no hub answers', undefined],
      'connecting',
      ['no hub answers', true],
      ['away again', undefined],
      'live',
    ])
  })

  it('leaves it to the reader to say that the hub is away', () => {
    const { said, watch } = watching()
    watch.reading({ is: 'retrying', at: 5, why: away, failures: 1 })
    const attempt = watch.attempt()
    attempt.onTrouble(new Error('also away'), 1000)
    attempt.recovered()
    expect(said).toHaveLength(1)
  })
})
