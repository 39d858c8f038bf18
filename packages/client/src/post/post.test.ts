import { PackReader, packType } from '@farhand/protocol/wire/pack'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import { hangUp, json, type Reply, refuse, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { Unreachable } from '../requests/refusal.ts'
import { Unconfirmed } from '../requests/unconfirmed.ts'
import { type PostOptions, post } from './post.ts'

const message = (content: string) => ({
  jsonrpc: '2.0' as const,
  method: '_posthog/user_message',
  params: { content },
})
const fast: PostOptions = { backoff: { firstMs: 2, maxMs: 8 } }
const posted = (...ids: number[]): Reply => json(202, { lastEventId: ids.at(-1), ids })

describe('post', () => {
  it('W10 answers with the ids under which the events are stored', async () => {
    const hub = await hubThat(posted(7, 8))
    const answer = await post({ url: hub.url, token: 't', deviceId: 'dev_12345678' }, someRun, [
      message('a'),
      message('b'),
    ])
    expect(answer).toEqual({ lastEventId: 8, ids: [7, 8] })
    expect(hub.requests[0]).toMatchObject({
      method: 'POST',
      path: `/api/projects/${someRun.project}/tasks/${someRun.task}/runs/${someRun.run}/sync`,
      headers: {
        authorization: 'Bearer t',
        'device-id': 'dev_12345678',
        'session-id': someRun.run,
        'content-type': 'application/x-ndjson',
      },
    })
    expect(hub.requests[0]?.body.toString()).toBe(
      `${JSON.stringify(message('a'))}\n${JSON.stringify(message('b'))}`,
    )
  })

  it.each([
    ['the connection breaks', hangUp],
    ['the hub has trouble', refuse(503, 'log.unavailable', 'retry')],
    ['the hub asks to send it again', refuse(408, 'request.timeout', 'retry')],
    [
      'a proxy answers in its own words',
      ((response) => void response.writeHead(502).end('<h1>Bad Gateway</h1>')) as Reply,
    ],
    [
      'something else than the hub answers',
      ((response) => void response.end('<h1>Please sign in</h1>')) as Reply,
    ],
  ])('W9 sends a message again with the same key when %s', async (_, trouble) => {
    const hub = await hubThat(trouble, trouble, posted(3))
    expect(await post({ url: hub.url }, someRun, message('once'), fast)).toEqual({ lastEventId: 3, ids: [3] })
    const keys = hub.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(keys[0]).toMatch(/^[0-9A-Za-z]{22}$/)
    expect(new Set(keys).size).toBe(1)
    expect(new Set(hub.requests.map(({ body }) => body.toString())).size).toBe(1)
  })

  it('W9 uses the key it is given, and a new one for every message otherwise', async () => {
    const hub = await hubThat(posted(1))
    await post({ url: hub.url }, someRun, message('a'), { key: 'mine' })
    await post({ url: hub.url }, someRun, message('a'))
    await post({ url: hub.url }, someRun, message('a'))
    const keys = hub.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toBe('mine')
    expect(new Set(keys).size).toBe(3)
  })

  it('sends a message again when the hub does not answer in its time', async () => {
    const hub = await hubThat(() => {}, posted(1))
    expect(await post({ url: hub.url }, someRun, message('a'), { ...fast, answerMs: 50 })).toMatchObject({
      ids: [1],
    })
  })

  it('W7 sends a batch again with the same stamp', async () => {
    const hub = await hubThat(hangUp, posted(4, 5))
    const producer = { id: 'runner', epoch: 2, seq: 10 }
    await post({ url: hub.url }, someRun, [message('a'), message('b')], { ...fast, producer })
    for (const { headers } of hub.requests) {
      expect(headers).toMatchObject({ 'producer-id': 'runner', 'producer-epoch': '2', 'producer-seq': '10' })
      expect(headers['idempotency-key']).toBeUndefined()
    }
    expect(hub.requests).toHaveLength(2)
  })

  it('does not send a batch without a stamp twice, and says that it is unknown whether it arrived', async () => {
    const hub = await hubThat(hangUp)
    const sending = post({ url: hub.url }, someRun, [message('a'), message('b')], fast)
    await expect(sending).rejects.toThrow(/unknown whether it arrived/)
    await expect(sending).rejects.toBeInstanceOf(Unreachable)
    expect(hub.requests).toHaveLength(1)
  })

  it('W9 says under which key to send a message again when it gave up, so that it never runs twice', async () => {
    const hub = await hubThat(hangUp, hangUp, hangUp, hangUp, posted(1))
    const options = { backoff: { firstMs: 40, maxMs: 40 }, patienceMs: 70 }
    const lost = await post({ url: hub.url }, someRun, message('a'), options).catch((error) => error)
    expect(lost).toBeInstanceOf(Unconfirmed)
    expect(lost.message).toContain(lost.key)
    await post({ url: hub.url }, someRun, message('a'), { ...fast, key: lost.key })
    expect(new Set(hub.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([lost.key]),
    )
  })

  it('W9 does not call a message refused that may have arrived before', async () => {
    const hub = await hubThat(hangUp, refuse(404, 'run.closed', 'fix-request'))
    const sending = post({ url: hub.url }, someRun, message('a'), { ...fast, key: 'mine' })
    await expect(sending).rejects.toMatchObject({
      name: 'Unconfirmed',
      key: 'mine',
      cause: { code: 'run.closed' },
    })
  })

  it.each([408, 429])('treats a %i as a promise that nothing was stored', async (status) => {
    const hub = await hubThat(
      refuse(status, 'run.overfull', 'retry'),
      refuse(404, 'run.closed', 'fix-request'),
    )
    await expect(post({ url: hub.url }, someRun, message('a'), fast)).rejects.toMatchObject({
      code: 'run.closed',
    })
  })

  it('W3 throws a refusal with what the hub said about it, and asks no more', async () => {
    const hub = await hubThat(refuse(409, 'producer.gap', 'fix-request', { expected: 12 }))
    const sending = post({ url: hub.url }, someRun, message('a'), fast)
    await expect(sending).rejects.toMatchObject({
      code: 'producer.gap',
      status: 409,
      details: { expected: 12 },
    })
    expect(hub.requests).toHaveLength(1)
  })

  it('gives up when its time is over, with the last error', async () => {
    const hub = await hubThat(refuse(503, 'storage.full', 'retry'))
    const troubles: unknown[] = []
    const onTrouble = (trouble: unknown) => troubles.push(trouble)
    const sending = post({ url: hub.url }, someRun, message('a'), { ...fast, patienceMs: 60, onTrouble })
    await expect(sending).rejects.toMatchObject({ cause: { code: 'storage.full' } })
    expect(troubles).toHaveLength(hub.requests.length - 1)
  })

  it('waits as long as the hub asks it to', async () => {
    const busy = json(429, { error: { code: 'x', message: 'x', remedy: 'retry' } }, { 'retry-after': '1' })
    const hub = await hubThat(busy, posted(1))
    const pauses: number[] = []
    await post({ url: hub.url }, someRun, message('a'), { ...fast, onTrouble: (_, ms) => pauses.push(ms) })
    expect(pauses).toEqual([1000])
  })

  it('stops with the reason of its signal while it waits to try again', async () => {
    const hub = await hubThat(hangUp)
    const controller = new AbortController()
    const sending = post({ url: hub.url }, someRun, message('a'), {
      backoff: { firstMs: 50_000, maxMs: 50_000 },
      signal: controller.signal,
      onTrouble: () => controller.abort(new Error('not now')),
    })
    await expect(sending).rejects.toThrow('not now')
  })

  describe('with contents', () => {
    const blob = (text: string) => ({ hash: nameOf(Buffer.from(text)), bytes: Buffer.from(text) })
    const read = (body: Uint8Array) =>
      new PackReader({ mostBytes: 1000 })
        .feed(body)
        .map((record) =>
          record.kind === 'missing' ? record : { ...record, bytes: Buffer.from(record.bytes).toString() },
        )

    it('W31 sends them and the events that name them in one request, a content once', async () => {
      const hub = await hubThat(posted(1))
      const blobs = [blob('one'), blob('two'), blob('one')]
      await post({ url: hub.url }, someRun, message('a'), { blobs })
      expect(hub.requests).toHaveLength(1)
      expect(hub.requests[0]?.headers).toMatchObject({
        'content-type': packType,
        'idempotency-key': expect.any(String),
      })
      expect(read(hub.requests[0]!.body)).toEqual([
        { kind: 'blob', hash: blob('one').hash, bytes: 'one' },
        { kind: 'blob', hash: blob('two').hash, bytes: 'two' },
        { kind: 'events', bytes: JSON.stringify(message('a')) },
      ])
    })

    it('W9 W31 sends the very same bytes again when the connection breaks', async () => {
      const hub = await hubThat(hangUp, refuse(503, 'storage.full', 'retry'), posted(1))
      await post({ url: hub.url }, someRun, message('a'), { ...fast, blobs: [blob('x'.repeat(500))] })
      const bodies = hub.requests.map(({ body, headers }) => [
        body.toString('hex'),
        headers['idempotency-key'],
      ])
      expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]])
    })

    it('W31 sends contents without any event as often as it takes', async () => {
      const hub = await hubThat(hangUp, json(202, { lastEventId: 4, ids: [] }))
      const answer = await post({ url: hub.url }, someRun, [], { ...fast, blobs: [blob('one')] })
      expect(answer.ids).toEqual([])
      expect(read(hub.requests[1]!.body)).toEqual([{ kind: 'blob', hash: blob('one').hash, bytes: 'one' }])
    })
  })
})
