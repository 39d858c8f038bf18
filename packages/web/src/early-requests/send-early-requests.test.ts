import { followPortions } from '@farhand/client/follow/follow'
import { findRun } from '@farhand/client/resources/resources'
import { whoAmI } from '@farhand/client/resources/sessions'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HubClock } from '../time/hub-clock.ts'
import { isEarlyResponse, place, takeEarlyResponse } from './early-responses.ts'
import { sendEarlyRequests } from './send-early-requests.ts'

const origin = 'http://hub'
const at = { project: 'prj_4fJ2abcd', task: 'tsk_4fJ2abcd', run: 'run_4fJ2abcd' }
const about = {
  ...{ id: at.run, project: at.project, task: at.task, agent: null, sandbox: null },
  ...{ mode: 'interactive', createdAt: '2026-01-01T12:00:00.000Z' },
}
const sync = `/api/projects/${at.project}/tasks/${at.task}/runs/${at.run}/sync?envelope=stored&presence=1&files=together`

/** A hub that says who and which run it is, and has an empty log that is over. */
function hub({ status = 200 } = {}) {
  const asked: string[] = []
  const stopped: string[] = []
  const answers: Record<string, () => Response> = {
    '/api/me': () => Response.json({ user: 'usr_4fJ2abcd', name: 'Ada', role: 'owner' }, { status }),
    [`/api/runs/${at.run}`]: () => Response.json(about, { status }),
    [sync]: () =>
      new Response('event: end\ndata: {}\n\n', { headers: { 'content-type': 'text/event-stream' } }),
  }
  const plain: typeof fetch = async (url, init) => {
    const path = String(url).slice(origin.length)
    asked.push(path)
    init?.signal?.addEventListener('abort', () => stopped.push(path))
    return answers[path]?.() ?? new Response(null, { status: 404 })
  }
  const taking: typeof fetch = async (url, init) =>
    (await takeEarlyResponse(String(url), init)) ?? plain(url, init)
  const begin = (path: string, isLogWanted = true) => {
    place.farhandAhead = sendEarlyRequests({
      origin,
      path,
      isLogWanted,
      fetch: plain,
      sessionKey: () => 'half',
    })
  }
  return { asked, stopped, begin, here: { url: origin, fetch: taking } }
}

const page = `/runs/${at.run}`
const once = { patienceMs: 0 }
const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('a request that is sent before the app is loaded', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    delete place.farhandAhead
    vi.useRealTimers()
  })

  it('is the same as the app’s, and is not sent again', async () => {
    const { asked, begin, here } = hub()
    begin(page)
    await passes(100)
    expect(asked).toEqual(['/api/me', `/api/runs/${at.run}`, sync])
    expect(await whoAmI(here, once)).toMatchObject({ user: 'usr_4fJ2abcd' })
    const found = await findRun(here, about.id as Parameters<typeof findRun>[1], once)
    expect(found).toMatchObject({ id: at.run })
    const of = { project: found.project, task: found.task, run: found.id }
    const portions = followPortions(here, of, { onPresence: () => {} })
    for await (const { events } of portions) expect(events).toEqual([])
    expect(asked).toHaveLength(3)
  })

  it('is used once: a later request goes to the hub', async () => {
    const { asked, begin, here } = hub()
    begin('/')
    await whoAmI(here, once)
    await whoAmI(here, once)
    expect(asked).toEqual(['/api/me', '/api/me'])
  })

  it('does not ask for the log if it may be cached, nor at an address that names no run', async () => {
    const known = hub()
    known.begin(page, false)
    const other = hub()
    other.begin('/runs/..%2F..%2Fapi')
    await passes(100)
    expect(known.asked).toEqual(['/api/me', `/api/runs/${at.run}`])
    expect(other.asked).toEqual(['/api/me'])
  })

  it('requests no log that this browser has cached', async () => {
    const { begin } = hub()
    begin(page)
    await passes(100)
    const headers = { 'last-event-id': '7' }
    expect(await takeEarlyResponse(`${origin}${sync}`, { headers })).toBeNull()
    expect(await takeEarlyResponse(`${origin}${sync}`, { headers: { 'last-event-id': '0' } })).not.toBeNull()
  })

  it('is repeated if the hub refused it, because the user may have signed in since', async () => {
    const { asked, begin, here } = hub({ status: 401 })
    begin(page)
    await passes(100)
    await expect(whoAmI(here, once)).rejects.toThrow()
    expect(asked).toEqual(['/api/me', `/api/runs/${at.run}`, '/api/me'])
  })

  it('is aborted when it was not used', async () => {
    const { asked, stopped, begin } = hub()
    begin(page)
    await passes(10_000)
    await passes(100)
    expect(stopped).toEqual(asked)
    expect(place.farhandAhead?.size).toBe(0)
  })

  it('ends when its user aborts', async () => {
    const { stopped, begin } = hub()
    begin('/')
    const gone = new AbortController()
    await takeEarlyResponse(`${origin}/api/me`, { signal: gone.signal })
    gone.abort()
    expect(stopped).toEqual(['/api/me'])
  })

  it('does not set the clock', async () => {
    const noon = Date.parse('2026-01-01T12:00:00Z')
    const answer = new Response('{}', { headers: { date: new Date(noon - 60_000).toUTCString() } })
    place.farhandAhead = new Map([
      [`${origin}/api/me `, { answer: Promise.resolve(answer), stop: new AbortController() }],
    ])
    const clock = new HubClock(() => noon)
    const ask = clock.wrapFetch(
      async (url, init) => (await takeEarlyResponse(String(url), init)) ?? Response.error(),
    )
    expect(isEarlyResponse(await ask(`${origin}/api/me`))).toBe(true)
    expect(clock.now()).toBe(noon)
  })
})
