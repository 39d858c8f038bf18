import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RunUnderTest, rehearsalAgent } from './runner-under-test.ts'

type Asked = { method: string; url: string }

const kinds = {
  orders: ({ url }: Asked) => url.includes('to=agent'),
  files: ({ url }: Asked) => url.includes('contents=along'),
  words: ({ method }: Asked) => method === 'POST',
}

/** A way to a hub that can be closed; notes what is asked meanwhile. */
function road() {
  const asked: Asked[] = []
  const closed = { is: (_: Asked) => false }
  const fetch = ((url: string, init: RequestInit = {}) => {
    const request = { method: init.method ?? 'GET', url }
    if (!closed.is(request)) return leanFetch(url, init)
    asked.push(request)
    return Promise.reject(new TypeError('fetch failed'))
  }) as typeof leanFetch
  return { fetch, asked, closed }
}

describe('a runner whose hub is away', () => {
  it('looks for it at least once a second, however long it was away', async () => {
    const run = await RunUnderTest.begin(rehearsalAgent, 'own hub')
    const { fetch, asked, closed } = road()
    await run.start(fetch)
    await run.turn('say hello')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const timesOf = (kind: keyof typeof kinds) => asked.filter(kinds[kind]).length
    const looksFor = (kind: keyof typeof kinds) =>
      vi.waitFor(() => expect(timesOf(kind), kind).toBeGreaterThan(0), 60_000)
    closed.is = kinds.words
    await run.say('_posthog/user_message', { content: 'say more' })
    // It has heard of that, and has something to say: a hub that is killed before would have told it nothing.
    await looksFor('words')
    closed.is = () => true
    await run.hub.kill()
    for (const kind of ['orders', 'files', 'words'] as const) await looksFor(kind)
    asked.length = 0
    await vi.advanceTimersByTimeAsync(600_000)
    for (const kind of ['orders', 'files', 'words'] as const) {
      expect(timesOf(kind), kind).toBeGreaterThanOrEqual(590)
      // Half of each pause is left to chance: at most twice as often, or it would have no pauses at all.
      expect(timesOf(kind), kind).toBeLessThan(1_300)
    }
    vi.useRealTimers()
  })

  it('W22 ends all the same if the hub never hears that it is done', async () => {
    const run = await RunUnderTest.begin()
    const { fetch, asked, closed } = road()
    closed.is = ({ method }) => method === 'DELETE'
    await run.start(fetch)
    await run.turn('say hello')
    await run.say('_posthog/close')
    expect(await run.end).toBe('closed')
    expect(asked.length).toBeGreaterThan(0)
  })
})
