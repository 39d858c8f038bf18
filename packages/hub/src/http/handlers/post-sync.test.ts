import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { chunk, HubUnderTest, message, notification } from '../hub-under-test.ts'

const producer = (epoch: number, seq: number) => ({
  'Producer-Id': 'runner',
  'Producer-Epoch': String(epoch),
  'Producer-Seq': String(seq),
})

describe('POST /sync', () => {
  it('W10 one notification, an array and NDJSON are stored and acknowledged with their ids', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    expect(await hub.post(at, message('one'))).toMatchObject({
      status: 202,
      body: { lastEventId: 1, ids: [1] },
    })
    expect((await hub.post(at, [message('two'), message('three')])).body).toEqual({
      lastEventId: 3,
      ids: [2, 3],
    })
    const lines = `${JSON.stringify(message('four'))}\n\n${JSON.stringify(message('five'))}\n`
    const headers = { 'Content-Type': 'application/x-ndjson' }
    expect((await hub.post(at, undefined, { raw: lines, headers })).body).toEqual({
      lastEventId: 5,
      ids: [4, 5],
    })
  })

  it('W4 the stored line says who wrote it and when, with its fields in the order that readers rely on', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.post(at, message('hello'), { headers: { 'Device-Id': 'dev_aaaaaaaaaaaa' } })
    const { body } = await hub.ask('GET', paths.log(at))
    expect(String(body)).toMatch(
      /^\{"id":1,"type":"notification","timestamp":"[^"]{24}","notification":\{"jsonrpc":"2.0","method":"_posthog\/user_message","params":\{"content":"hello"\}\},"by":\{"kind":"device","id":"dev_aaaaaaaaaaaa"\},"sum":"[\da-f]{8}"\}\n$/,
    )
  })

  it('W10 a batch with one bad part names the field and stores nothing', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const bad = [
      [message('fine'), notification('_posthog/user_message', { content: 7 }), '1.params.content'],
      [message('fine'), { jsonrpc: '1.0', method: 'x' }, '1.jsonrpc'],
      [message('fine'), { jsonrpc: '2.0', method: '_x', id: {} }, '1.id'],
      [message('fine'), { jsonrpc: '2.0', method: '_x', params: [1] }, '1.params'],
      [message('fine'), 'text', '1'],
    ]
    for (const [first, second, field] of bad) {
      expect((await hub.post(at, [first, second])).body).toMatchObject({
        error: { code: 'request.malformed', field },
      })
    }
    expect((await hub.post(at, [])).status).toBe(400)
    expect((await hub.post(at, undefined, { raw: '{"jsonrpc":' })).status).toBe(400)
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 0 })
  })

  it('W10 too many events, too large an event and too large a request are 413', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const many = Array.from({ length: 1001 }, () => message('x'))
    expect((await hub.post(at, many)).status).toBe(413)
    expect((await hub.post(at, message('x'.repeat(1024 * 1024)))).status).toBe(413)
    expect((await hub.post(at, message('x'.repeat(9 * 1024 * 1024)))).status).toBe(413)
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 0 })
  })

  it('W7 a producer that sends again gets the first ids; a gap and an old epoch are refused', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token, generation } = await hub.runner(at)
    const send = (epoch: number, seq: number, ...texts: string[]) =>
      hub.post(at, texts.map(chunk), { token, headers: producer(epoch, seq) })
    expect((await send(generation, 0, 'a', 'b')).body).toEqual({ lastEventId: 3, ids: [2, 3] })
    expect((await send(generation, 0, 'a', 'b')).body).toMatchObject({ ids: [2, 3] })
    expect((await send(generation, 1, 'b', 'c')).body).toMatchObject({ ids: [3, 4] })
    expect((await send(generation, 9, 'z')).body).toMatchObject({
      error: { code: 'producer.gap', expected: 3 },
    })
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 4 })
    expect((await hub.post(at, chunk('d'), { token, headers: { 'Producer-Id': 'runner' } })).status).toBe(400)
  })

  it('W8 the next generation fences the one before, tells it so, and knows how far it got', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const first = await hub.runner(at)
    expect(first).toMatchObject({ generation: 1, previousSeq: null })
    await hub.post(at, [chunk('a'), chunk('b')], { token: first.token, headers: producer(1, 0) })
    const listening = await hub.stream(at, '?to=agent', {}, first.token)
    await listening.until(({ event }) => event === 'live')
    const second = await hub.runner(at)
    expect(second).toMatchObject({ generation: 2, previousSeq: 1 })
    expect(await listening.until(() => false).catch((error) => String(error))).toContain('ended')
    const late = await hub.post(at, chunk('c'), { token: first.token, headers: producer(1, 2) })
    expect(late).toMatchObject({ status: 403, body: { error: { current: 2 } } })
    expect((await hub.post(at, chunk('c'), { token: first.token })).status).toBe(403)
    expect((await hub.stream(at, '', {}, first.token)).answer.status).toBe(403)
  })

  it('W8 of runners that begin at the same moment each has a generation of its own, and only the last may write', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const begun = await Promise.all([hub.runner(at), hub.runner(at), hub.runner(at)])
    expect(begun.map(({ generation }) => generation).sort()).toEqual([1, 2, 3])
    for (const { token, generation } of begun) {
      const { status } = await hub.post(at, chunk('a'), { token, headers: producer(generation, 0) })
      expect(status).toBe(generation === 3 ? 202 : 403)
    }
  })

  it('W8 asking for a runner again under the same key begins no further generation', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const ask = () => hub.ask('POST', paths.runner(at), { body: {}, headers: { 'Idempotency-Key': 'start' } })
    const [one, two] = [await ask(), await ask()]
    expect(one.status).toBe(201)
    expect(two.body).toEqual(one.body)
  })

  it('W8 W9 the longest allowed key works for a runner too, and a turn can be read past it', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const key = 'k'.repeat(200)
    await hub.post(at, message('go'))
    const begin = () => hub.ask('POST', paths.runner(at), { body: {}, headers: { 'Idempotency-Key': key } })
    const begun = await begin()
    expect(begun.status).toBe(201)
    expect((await begin()).body).toEqual(begun.body)
    const { token } = begun.body as never
    const done = [
      notification('_posthog/ack', { for: 'user_message', id: 3 }),
      notification('_posthog/turn_complete', { messageId: 3, stopReason: 'end_turn' }),
    ]
    const asked = hub.post(at, message('on'), { headers: { Accept: 'text/event-stream' } })
    await hub.stream(at).then((stream) => stream.until(({ id }) => id === 3))
    await hub.post(at, done, { token })
    expect(String((await asked).body)).toContain('event: end')
  })

  it('W8 the token of a fenced runner opens nothing any more', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    await hub.runner(at)
    const hashes = [`sha256_${'0'.repeat(64)}`]
    for (const answer of [
      await hub.ask('GET', paths.log(at), { token }),
      await hub.ask('GET', paths.status(at), { token }),
      await hub.ask('GET', paths.run(at), { token }),
      await hub.ask('POST', paths.fileUrls(at), { token, body: { hashes } }),
      await hub.post(at, chunk('x'), { token }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'runner.fenced', current: 2 } } })
    }
  })

  it('W10 a run with too many waiting messages refuses further ones', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const many = (count: number) => Array.from({ length: count }, () => message('x'))
    expect((await hub.post(at, many(1000))).status).toBe(202)
    expect((await hub.post(at, message('one more'))).body).toMatchObject({ error: { code: 'run.overfull' } })
    const { token } = await hub.runner(at)
    const done = [
      notification('_posthog/ack', { for: 'user_message', id: 1 }),
      notification('_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' }),
    ]
    await hub.post(at, done, { token })
    expect((await hub.post(at, message('one more'))).status).toBe(202)
  })

  it('W29 a message that replaces a waiting one is taken once, and refused if the agent has begun with that', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const first = (await hub.post(at, [message('one'), message('two'), message('three')])).body.ids[0]
    const takeBack = (id: number) => notification('_posthog/message_edit', { messageId: id, content: null })
    const steer = (id: number, as: string) =>
      hub.post(at, [takeBack(id), message('now')], {
        headers: { 'producer-id': as, 'producer-epoch': '0', 'producer-seq': '0' },
      })
    await hub.post(at, notification('_posthog/ack', { for: 'user_message', id: first }), { token })
    const { lastEventId } = (await hub.ask('GET', paths.status(at))).body
    const begun = { status: 409, body: { error: { code: 'message.begun', remedy: 'give-up' } } }
    expect(await steer(first, 'late')).toMatchObject(begun)
    expect((await hub.ask('GET', paths.status(at))).body.lastEventId).toBe(lastEventId)
    const done = await steer(first + 1, 'phone')
    expect(done.status).toBe(202)
    // The device that asks whether it arrived is told so; another device that wants the same is too late.
    expect((await steer(first + 1, 'phone')).body).toEqual(done.body)
    expect(await steer(first + 1, 'laptop')).toMatchObject(begun)
    expect(await hub.post(at, [takeBack(first + 2), takeBack(first), message('now')])).toMatchObject(begun)
    // Alone it changes nothing and does no harm.
    expect((await hub.post(at, takeBack(first))).status).toBe(202)
    // New words for one that was begun with change nothing either, and what is said beside them is no second time.
    const reworded = notification('_posthog/message_edit', { messageId: first, content: 'other words' })
    expect((await hub.post(at, [reworded, message('and this')])).status).toBe(202)
  })

  it('W34 a device says in which of its lives it writes, and no other author has lives', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const life = (number: string) => ({ 'Device-Id': 'dev_aaaaaaaaaaaa', 'Device-Life': number })
    const start = notification('_posthog/device_start', { name: 'laptop' })
    expect((await hub.post(at, start, { headers: life('2') })).status).toBe(202)
    expect(await hub.post(at, message('late'), { headers: life('1') })).toMatchObject({
      status: 403,
      body: { error: { code: 'device.fenced', current: 2 } },
    })
    for (const headers of [{ 'Device-Life': '3' }, life('-1'), life('x')]) {
      const { body } = await hub.post(at, message('odd'), { headers })
      expect(body).toMatchObject({ error: { code: 'request.malformed', field: 'device-life' } })
    }
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 1 })
  })

  it('W9 a message sent twice under one key is admitted once', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const headers = { 'Idempotency-Key': 'm1' }
    const sent = await Promise.all(Array.from({ length: 4 }, () => hub.post(at, message('hi'), { headers })))
    expect(sent.map(({ body }) => body.ids)).toEqual([[1], [1], [1], [1]])
    expect((await hub.post(at, message('other'), { headers })).body).toMatchObject({
      error: { code: 'key.reused' },
    })
    expect((await hub.post(at, [message('a'), message('b')], { headers })).status).toBe(400)
  })

  it('W12 init answers with the session and leaves an open run alone', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const init = await hub.post(at, { jsonrpc: '2.0', method: '_posthog/session_init' })
    expect(init).toMatchObject({ status: 200, body: { sessionId: at.run, lastEventId: 0 } })
    expect(init.headers.get('session-id')).toBe(at.run)
  })

  it('W13 a Session-Id of another run is refused', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const wrong = await hub.post(at, message('x'), { headers: { 'Session-Id': 'run_00000000' } })
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'session.mismatch' } } })
    expect((await hub.post(at, message('x'), { headers: { 'Session-Id': at.run } })).status).toBe(202)
    const headers = { 'Session-Id': 'run_00000000' }
    expect((await hub.ask('POST', paths.runner(at), { body: {}, headers })).status).toBe(400)
  })

  it('W14 callbacks are kept outside the log', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const callbacks = [{ url: 'https://example.com/hook', events: ['done'], secret: 's' }]
    expect(await hub.post(at, { type: 'register_callback', callbacks })).toMatchObject({
      status: 200,
      body: { registered: 1 },
    })
    const bad = [{ url: 'file:///etc/passwd', events: ['done'] }]
    expect((await hub.post(at, { type: 'register_callback', callbacks: bad })).body).toMatchObject({
      error: { field: 'callbacks.0.url' },
    })
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 0 })
  })

  it('W15 a method of another role is 403; one that the hub does not know passes with a leading underscore', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    expect((await hub.post(at, chunk('x'))).body).toMatchObject({ error: { code: 'role.refused' } })
    expect((await hub.post(at, message('x'), { token })).status).toBe(403)
    expect(
      (await hub.post(at, notification('_posthog/session_close', { reason: 'x' }), { token })).status,
    ).toBe(403)
    expect((await hub.post(at, notification('_acme/custom', { any: 1 }))).status).toBe(202)
    expect((await hub.post(at, notification('acme/custom'))).body).toMatchObject({
      error: { code: 'method.unknown' },
    })
  })
})
