import { PackReader, packType } from '@farhand/protocol/wire/pack'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import {
  hangUp,
  json,
  type Reply,
  refuse,
  type ScriptedRequest,
  scriptedHub,
  someRun,
} from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { Unconfirmed } from '../requests/unconfirmed.ts'
import { Producer } from './producer.ts'

const event = (n: number, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0' as const,
  method: '_test/event',
  params: { n, ...params },
})
const fast = { id: 'runner', epoch: 1, backoff: { firstMs: 2, maxMs: 8 } }
const lines = ({ body }: ScriptedRequest) => body.toString().split('\n')
const seqs = (requests: ScriptedRequest[]) => requests.map(({ headers }) => Number(headers['producer-seq']))

/** What a proxy says, or a sign-in page. */
const foreign =
  (status: number): Reply =>
  (response) =>
    void response.writeHead(status).end('<h1>Not here</h1>')

/** Stores what is sent as the hub would: ids count on from the seq. */
const store: Reply = (response, request) => {
  const seq = Number(request.headers['producer-seq'])
  const ids = lines(request).map((_, nth) => seq + nth + 1)
  response
    .writeHead(202, { 'content-type': 'application/json' })
    .end(JSON.stringify({ lastEventId: ids.at(-1), ids }))
}

let close: () => Promise<void> = async () => {}
afterEach(() => close())

async function producing(
  options: Partial<ConstructorParameters<typeof Producer>[2]>,
  ...replies: [Reply, ...Reply[]]
) {
  const hub = await scriptedHub(...replies)
  close = hub.close
  // It would try for ever, and the port of this hub is soon that of another test.
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const { signal } = over
  return { hub, producer: new Producer({ url: hub.url }, someRun, { ...fast, signal, ...options }) }
}

describe('a producer', () => {
  it('W7 numbers its events, from a given number on', async () => {
    const { hub, producer } = await producing({ next: 5 }, store)
    expect(await producer.send([event(1), event(2)])).toEqual([6, 7])
    expect(await producer.send(event(3))).toEqual([8])
    expect(seqs(hub.requests)).toEqual([5, 7])
    expect(hub.requests[0]?.headers).toMatchObject({ 'producer-id': 'runner', 'producer-epoch': '1' })
    expect(producer.next).toBe(8)
  })

  it('has one request under way, and sends events that waited meanwhile together in the next, in order', async () => {
    const { hub, producer } = await producing({}, store)
    const first = producer.send(event(0))
    await hub.request(1)
    const rest = [1, 2, 3, 4].map((n) => producer.send(event(n)))
    expect(await Promise.all([first, ...rest])).toEqual([[1], [2], [3], [4], [5]])
    expect(seqs(hub.requests)).toEqual([0, 1])
    expect(hub.requests.flatMap(lines).map((line) => JSON.parse(line).params.n)).toEqual([0, 1, 2, 3, 4])
  })

  it('W7 repeats a batch under the same stamp until the hub has it', async () => {
    const { hub, producer } = await producing({}, hangUp, refuse(503, 'hub.stopping', 'retry'), store)
    expect(await producer.send([event(1), event(2)])).toEqual([1, 2])
    expect(seqs(hub.requests)).toEqual([0, 0, 0])
  })

  it.each([
    ['W7', 403, 'producer.fenced'],
    ['W8', 403, 'runner.fenced'],
    ['W7', 409, 'producer.gap'],
    ['W2', 401, 'token.invalid'],
    ['W2', 404, 'run.unknown'],
    ['W12', 404, 'run.closed'],
    ['W3', 403, 'a.code-of-tomorrow'],
  ])(
    '%s stops for good after a %i %s: what waits and what comes later is refused',
    async (_, status, code) => {
      const { hub, producer } = await producing({}, refuse(status, code, 'give-up'), store)
      const sent = [producer.send(event(1)), producer.send(event(2))]
      await hub.request(1)
      sent.push(producer.send(event(3)))
      const outcomes = await Promise.allSettled(sent)
      expect(outcomes).toMatchObject(
        [1, 2, 3].map(() => ({ status: 'rejected', reason: { saidCode: code } })),
      )
      await expect(producer.send(event(4))).rejects.toMatchObject({ saidCode: code })
      expect(hub.requests).toHaveLength(1)
    },
  )

  it('W7 never gives an event the id of another: refused after a try that may have arrived, it stops for good', async () => {
    const { hub, producer } = await producing(
      {},
      hangUp,
      refuse(400, 'request.malformed', 'fix-request'),
      store,
    )
    const first = producer.send(event(1))
    await expect(first).rejects.toBeInstanceOf(Unconfirmed)
    await expect(first).rejects.toMatchObject({ cause: { code: 'request.malformed' } })
    await expect(producer.send(event(2))).rejects.toBeInstanceOf(Unconfirmed)
    expect(hub.requests).toHaveLength(2)
  })

  it.each([302, 400, 401, 403, 404, 413])(
    'W7 sends a batch again after a %i that does not come from a hub',
    async (status) => {
      const { producer } = await producing({}, hangUp, foreign(status), store)
      expect(await producer.send(event(1))).toEqual([1])
      expect(await producer.send(event(2))).toEqual([2])
    },
  )

  it('loses no neighbour of a refused event, and leaves no gap in the numbers', async () => {
    const picky: Reply = (response, request) =>
      (lines(request).some((line) => line.includes('"bad"'))
        ? refuse(400, 'request.malformed', 'fix-request')
        : store)(response, request)
    const { producer } = await producing({}, picky)
    const outcomes = await Promise.allSettled([
      producer.send(event(1)),
      producer.send(event(2, { bad: true })),
      producer.send([event(3), event(4)]),
    ])
    expect(outcomes).toMatchObject([
      { value: [1] },
      { status: 'rejected', reason: { code: 'request.malformed' } },
      { value: [2, 3] },
    ])
    expect(producer.next).toBe(3)
  })

  it('W15 goes on after an event that it may not send', async () => {
    const { producer } = await producing({}, refuse(403, 'role.refused', 'give-up'), store)
    await expect(producer.send(event(1))).rejects.toMatchObject({ code: 'role.refused' })
    expect(await producer.send(event(2))).toEqual([1])
  })

  it('waits for a hub that is away for as long as it takes', async () => {
    const away = Array.from({ length: 40 }, () => hangUp)
    const { hub, producer } = await producing({}, hangUp, ...away, store)
    expect(await producer.send(event(1))).toEqual([1])
    expect(hub.requests).toHaveLength(42)
  })

  it('refuses more than it can hold while the hub is away, and takes more when there is room again', async () => {
    let back = () => {}
    const whenBack = new Promise<void>((resolve) => {
      back = resolve
    })
    const { hub, producer } = await producing({}, async (response, request) => {
      await whenBack
      return store(response, request)
    })
    const large = { text: 'x'.repeat(1_000_000) }
    const first = producer.send(event(0, large))
    await hub.request(1)
    const sent = Array.from({ length: 80 }, (_, n) => producer.send(event(n, large)))
    const outcomes = Promise.allSettled(sent)
    await expect(sent.at(-1)).rejects.toThrow(/wait/)
    back()
    await first
    const taken = (await outcomes).filter(({ status }) => status === 'fulfilled')
    expect(taken).toHaveLength(67)
    expect(await producer.send(event(1))).toEqual([69])
  })

  it('W10 splits waiting events into requests that the hub takes', async () => {
    const { hub, producer } = await producing({}, store)
    const large = { text: 'x'.repeat(900_000) }
    await Promise.all(Array.from({ length: 20 }, (_, n) => producer.send(event(n, large))))
    await Promise.all(Array.from({ length: 1500 }, (_, n) => producer.send(event(n))))
    const sizes = hub.requests.map((request) => lines(request).length)
    expect(Math.max(...hub.requests.map(({ body }) => body.length))).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect(sizes).toEqual([9, 9, 2, 1000, 500])
  })

  it('W10 lets no request name more blobs than the hub looks up', async () => {
    const { hub, producer } = await producing({}, store)
    const blobs = (count: number) =>
      Array.from({ length: count }, (_, n) => `sha256_${n.toString(16).padStart(64, '0')}`)
    await Promise.all(Array.from({ length: 6 }, (_, n) => producer.send(event(n, { blobs: blobs(1000) }))))
    expect(hub.requests.map((request) => lines(request).length)).toEqual([4, 2])
    const many = Array.from({ length: 5 }, (_, n) => event(n, { blobs: blobs(1000) }))
    await expect(producer.send(many)).rejects.toMatchObject({ code: 'request.too-large' })
    expect(hub.requests).toHaveLength(2)
  })

  it('W10 refuses an event at once that no request can carry', async () => {
    const { hub, producer } = await producing({}, store)
    await expect(producer.send(event(1, { text: 'ü'.repeat(600_000) }))).rejects.toMatchObject({
      code: 'request.too-large',
    })
    await expect(producer.send(Array.from({ length: 1001 }, (_, n) => event(n)))).rejects.toMatchObject({
      code: 'request.too-large',
    })
    expect(hub.requests).toEqual([])
  })

  it('stops with the reason of its signal', async () => {
    const controller = new AbortController()
    const { hub, producer } = await producing({ signal: controller.signal }, () => {})
    const sent = [producer.send(event(1)), producer.send(event(2))]
    await hub.request(1)
    controller.abort(new Error('going home'))
    for (const sending of sent) await expect(sending).rejects.toThrow('going home')
    await producer.idle()
  })

  describe('with contents', () => {
    const blob = (text: string) => ({ hash: nameOf(Buffer.from(text)), bytes: Buffer.from(text) })
    const unpack = ({ body }: ScriptedRequest) => {
      const records = new PackReader({ mostBytes: 8 * 1024 * 1024 }).feed(body)
      const events = records.find(({ kind }) => kind === 'events')
      return {
        blobs: records.flatMap((record) => (record.kind === 'blob' ? [record.hash] : [])),
        events: Buffer.from(events?.kind === 'events' ? events.bytes : [])
          .toString()
          .split('\n').length,
      }
    }
    const storePack: Reply = (response, request) => {
      const seq = Number(request.headers['producer-seq'])
      const count =
        request.headers['content-type'] === packType ? unpack(request).events : lines(request).length
      const ids = Array.from({ length: count }, (_, nth) => seq + nth + 1)
      return json(202, { lastEventId: ids.at(-1), ids })(response, request)
    }

    it('W31 sends waiting events together with all their contents, under one stamp', async () => {
      const { hub, producer } = await producing({}, storePack)
      const first = producer.send(event(0))
      await hub.request(1)
      const rest = [
        producer.send(event(1), { blobs: [blob('a'), blob('b')] }),
        producer.send([event(2), event(3)], { blobs: [blob('b'), blob('c')] }),
      ]
      expect(await Promise.all([first, ...rest])).toEqual([[1], [2], [3, 4]])
      expect(hub.requests).toHaveLength(2)
      expect(unpack(hub.requests[1]!)).toEqual({
        blobs: [blob('a').hash, blob('b').hash, blob('c').hash],
        events: 3,
      })
    })

    it('W10 W31 counts contents when it splits waiting events into requests', async () => {
      const { hub, producer } = await producing({}, storePack)
      const large = (n: number) => blob(String(n).repeat(3 * 1024 * 1024))
      await Promise.all([1, 2, 3, 4, 5].map((n) => producer.send(event(n), { blobs: [large(n)] })))
      expect(hub.requests.map((request) => unpack(request).events)).toEqual([2, 2, 1])
      const tooMuch = producer.send(event(6), { blobs: [1, 2, 3].map(large) })
      await expect(tooMuch).rejects.toMatchObject({ code: 'request.too-large' })
    })

    it.each([
      ['blob.missing', 409],
      ['blob.mismatch', 400],
    ])('W24 goes on after a %s, even if an earlier answer was lost', async (code, status) => {
      const { producer } = await producing({}, hangUp, refuse(status, code, 'fix-request'), storePack)
      await expect(producer.send(event(1), { blobs: [blob('a')] })).rejects.toMatchObject({ cause: { code } })
      expect(await producer.send(event(2), { blobs: [blob('b')] })).toEqual([1])
    })
  })
})
