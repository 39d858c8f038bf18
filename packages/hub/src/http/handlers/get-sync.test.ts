import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { chunk, HubUnderTest, message, notification } from '../hub-under-test.ts'

const ids = (seen: { id?: number }[]) => seen.flatMap(({ id }) => id ?? [])

describe('GET /sync', () => {
  it('W16 W19 replays from the cursor, says when it is live, and goes on', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    for (const text of ['a', 'b', 'c']) await hub.post(at, message(text))
    const stream = await hub.stream(at, '', { 'Last-Event-ID': '1' })
    expect(ids(await stream.until(({ event }) => event === 'live'))).toEqual([2, 3])
    await hub.post(at, message('d'))
    expect(await stream.next()).toMatchObject({ id: 4 })
    const byQuery = await hub.stream(at, '?last_event_id=3')
    expect(ids(await byQuery.until(({ event }) => event === 'live'))).toEqual([4])
  })

  it('W16 start=latest skips the past; knowing more than the log is refused; so is asking for anything but a stream', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.post(at, message('old'))
    const stream = await hub.stream(at, '?start=latest')
    expect(ids(await stream.until(({ event }) => event === 'live'))).toEqual([])
    await hub.post(at, message('new'))
    expect(await stream.next()).toMatchObject({ id: 2 })
    expect((await hub.stream(at, '?last_event_id=9')).answer.status).toBe(409)
    expect((await hub.stream(at, '?last_event_id=minus')).answer.status).toBe(400)
    expect((await hub.stream(at, '?to=nobody')).answer.status).toBe(400)
    expect((await hub.ask('GET', paths.sync(at), { headers: { Accept: 'application/json' } })).status).toBe(
      406,
    )
  })

  it('W17 sends the bare notification, the stored line on request, and only others’ words to the agent', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    await hub.post(at, chunk('from the runner'), { token })
    await hub.post(at, message('from a person'))
    const bare = await (await hub.stream(at)).until(({ event }) => event === 'live')
    expect(JSON.parse(bare[2]!.data!)).toEqual(message('from a person'))
    const stored = await (await hub.stream(at, '?envelope=stored')).until(({ event }) => event === 'live')
    const log = String((await hub.ask('GET', paths.log(at))).body)
    expect(
      stored
        .slice(0, 3)
        .map(({ data }) => `${data}\n`)
        .join(''),
    ).toBe(log)
    const agent = await (await hub.stream(at, '?to=agent')).until(({ event }) => event === 'live')
    expect(ids(agent)).toEqual([1, 3])
  })

  it('W17 sends a runner its own turn markers, so that it knows which orders came before them', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    await hub.post(at, message('do it'))
    await hub.post(at, [chunk('not this'), notification('_posthog/ack', { for: 'user_message', id: 2 })], {
      token,
    })
    await hub.post(at, notification('_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' }), {
      token,
    })
    const agent = await (await hub.stream(at, '?to=agent')).until(({ event }) => event === 'live')
    expect(ids(agent)).toEqual([1, 2, 4, 5])
  })

  it('W26 W27 an agent’s report is served as it was sent, with fields that the hub does not know', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const update = notification('session/update', {
      sessionId: 's1',
      update: { sessionUpdate: 'of_tomorrow', entries: [{ content: 'ä', _meta: { 'x/y': [1, null] } }] },
    })
    await hub.post(at, update, { token })
    const seen = await (await hub.stream(at)).until(({ event }) => event === 'live')
    expect(seen[1]!.data).toBe(JSON.stringify(update))
  })

  it('W28 the hub does not join chunks: the runner does, before it numbers them', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const chunks = ['a', 'b', 'c'].map((text) =>
      notification('agent_message_chunk', { text, messageId: 'm' }),
    )
    await hub.post(at, chunks, { token })
    const seen = await (await hub.stream(at, '?last_event_id=1')).until(({ event }) => event === 'live')
    expect(seen.slice(0, 3).map(({ data }) => JSON.parse(data!).params.text)).toEqual(['a', 'b', 'c'])
  })

  it('W18 nothing is missing, doubled or out of order when replay turns live under appends', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const total = 600
    const writing = (async () => {
      for (let n = 0; n < total; n += 3)
        await hub.post(at, [message(`${n}`), message(`${n + 1}`), message(`${n + 2}`)])
    })()
    const readers: Promise<number[]>[] = []
    for (let n = 0; n < 12; n++) {
      const stream = await hub.stream(at)
      readers.push(stream.until(({ id }) => id === total).then(ids))
      await hub.ask('GET', paths.status(at))
    }
    await writing
    const expected = Array.from({ length: total }, (_, n) => n + 1)
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(expected)
  })

  it('W19 silence is broken by comments that carry no id', async () => {
    const hub = await HubUnderTest.start({ keepAliveMs: 50 })
    const at = await hub.run()
    const stream = await hub.stream(at)
    const seen = await stream.until(({ comment }) => comment !== undefined)
    expect(seen.at(-1)).toEqual({ comment: 'still here' })
  })

  it('W23 a runner that sends nothing is not healthy, no matter how long its connection stays open', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const isHealthy = async (as?: string) =>
      (await hub.ask('GET', paths.status(at), as ? { token: as } : {})).body
    expect(await isHealthy()).toMatchObject({ sandboxHealthy: false })
    const stream = await hub.stream(at, '?to=agent', {}, token)
    await stream.until(({ event }) => event === 'live')
    expect(await isHealthy()).toMatchObject({ sandboxHealthy: true })
    vi.advanceTimersByTime(59_000)
    expect(await isHealthy()).toMatchObject({ sandboxHealthy: true })
    vi.advanceTimersByTime(2_000)
    expect(await isHealthy()).toMatchObject({ sandboxHealthy: false })
    expect(await isHealthy(token)).toMatchObject({ sandboxHealthy: true })
    expect(await isHealthy()).toMatchObject({ sandboxHealthy: true })
  })

  it('W20 a reader that takes nothing loses nothing and is given the rest when it reads again', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const slow = await hub.stream(at)
    await slow.until(({ event }) => event === 'live')
    const text = 'x'.repeat(100_000)
    for (let n = 0; n < 15; n++)
      await hub.post(
        at,
        Array.from({ length: 10 }, () => message(text)),
      )
    expect(ids(await slow.until(({ id }) => id === 150))).toEqual(
      Array.from({ length: 150 }, (_, n) => n + 1),
    )
  })

  it('W21 a stream is neither stored nor buffered nor compressed on its way', async () => {
    const hub = await HubUnderTest.start()
    const { headers } = (await hub.stream(await hub.run(), '', { 'Accept-Encoding': 'gzip' })).answer
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('content-encoding')).toBeNull()
  })

  it('W11 a message asked for as a stream is answered with its own turn, also when asked again', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    await hub.post(at, message('earlier'))
    const post = () =>
      fetch(new URL(paths.sync(at), hub.hub.url), {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${hub.token}`,
          'Content-Type': 'application/json',
          Accept: 'text/event-stream',
          'Idempotency-Key': 'turn',
        },
        body: JSON.stringify(message('go')),
      })
    const answer = await post()
    expect(answer.status).toBe(200)
    const turn = [
      chunk('of another turn'),
      notification('_posthog/ack', { for: 'user_message', id: 3 }),
      chunk('working'),
      notification('_posthog/turn_complete', { messageId: 3, stopReason: 'end_turn' }),
      chunk('afterwards'),
    ]
    await hub.post(at, turn, { token })
    const text = await answer.text()
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([5, 6, 7])
    expect(text).toContain('event: end')
    expect(await (await post()).text()).toBe(text)
  })
})

describe('closing', () => {
  it('W12 W19 W22 a closed run ends its streams, refuses messages, and can be opened again', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.post(at, message('hello'))
    const stream = await hub.stream(at)
    await stream.until(({ event }) => event === 'live')
    expect((await hub.ask('DELETE', paths.sync(at))).status).toBe(202)
    const seen = await stream.until(({ event }) => event === 'end')
    expect(seen.map(({ data }) => JSON.parse(data!).method).filter(Boolean)).toEqual([
      '_posthog/close',
      '_posthog/session_close',
    ])
    expect(await stream.next()).toBeNull()
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ status: 'closed' })
    expect(await hub.post(at, message('late'))).toMatchObject({
      status: 404,
      body: { error: { code: 'run.closed' } },
    })
    expect((await hub.ask('DELETE', paths.sync(at))).status).toBe(202)
    await hub.post(at, { jsonrpc: '2.0', method: '_posthog/session_init' })
    expect((await hub.post(at, message('again'))).status).toBe(202)
  })

  it('W12 the outcome of a closed run can still be reported, and leaves it closed', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.ask('DELETE', paths.sync(at))
    await (await hub.stream(at)).until(({ event }) => event === 'end')
    const opened = notification('_posthog/pr_created', { prUrl: 'https://example.com/pull/1' })
    const headers = { 'device-id': newId(DeviceId, 'dev') }
    expect((await hub.post(at, opened, { headers })).status).toBe(202)
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ status: 'closed' })
    const again = await (await hub.stream(at)).until(({ event }) => event === 'end')
    expect(again.some(({ data }) => data?.includes('_posthog/pr_created'))).toBe(true)
    // Nothing comes along with it.
    expect(await hub.post(at, [opened, message('late')], { headers })).toMatchObject({ status: 404 })
  })

  it('W22 the runner gets a limited time for its last checkpoint', async () => {
    const hub = await HubUnderTest.start({ closeGraceMs: 60_000, runnerAwayMs: 0 })
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const runner = await hub.stream(at, '?to=agent', {}, token)
    await runner.until(({ event }) => event === 'live')
    const reader = await hub.stream(at, '?start=latest')
    await reader.until(({ event }) => event === 'live')
    await hub.post(at, notification('_posthog/close'))
    await runner.until(({ data }) => data?.includes('_posthog/close') ?? false)
    expect((await hub.post(at, message('too late'))).status).toBe(404)
    expect((await hub.post(at, chunk('last words'), { token })).status).toBe(202)
    runner.leave()
    const seen = await reader.until(({ event }) => event === 'end')
    expect(seen.map(({ data }) => JSON.parse(data!).method).filter(Boolean)).toEqual([
      '_posthog/close',
      'agent_message_chunk',
      '_posthog/session_close',
    ])
  })

  it('W22 a run is closed at once when its current runner says that it is done, and no other caller can say so', async () => {
    const hub = await HubUnderTest.start({ closeGraceMs: 60_000, runnerAwayMs: 60_000 })
    const at = await hub.run()
    const before = await hub.runner(at)
    const { token } = await hub.runner(at)
    const runner = await hub.stream(at, '?to=agent', {}, token)
    await runner.until(({ event }) => event === 'live')
    const done = (token?: string) => hub.ask('DELETE', paths.runner(at), token === undefined ? {} : { token })
    expect(await done(token)).toMatchObject({ status: 200 })
    await hub.post(at, notification('_posthog/close'))
    expect(await done()).toMatchObject({ status: 403, body: { error: { code: 'role.refused' } } })
    expect(await done(before.token)).toMatchObject({
      status: 403,
      body: { error: { code: 'runner.fenced' } },
    })
    expect((await hub.post(at, chunk('last words'), { token })).status).toBe(202)
    expect(await done(token)).toMatchObject({ status: 200, body: { ok: true } })
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ status: 'closed', lastEventId: 5 })
    expect(await done(token)).toMatchObject({ status: 200 })
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 5 })
  })

  it('W22 asking several times at once is the same as asking once', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const asked = await Promise.all(Array.from({ length: 5 }, () => hub.ask('DELETE', paths.sync(at))))
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ status: 'closed', lastEventId: 2 })
  })

  it('W22 a hub whose operator forbids closing answers 405', async () => {
    const hub = await HubUnderTest.start({ allowClose: false })
    expect((await hub.ask('DELETE', paths.sync(await hub.run()))).body).toMatchObject({
      error: { code: 'close.refused' },
    })
  })
})
