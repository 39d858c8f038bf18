import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Producer } from '@farhand/client/post/producer'
import { Refusal } from '@farhand/client/requests/refusal'
import type { Notification } from '@farhand/protocol/wire/event'
import { fakeBlobStore } from '@farhand/testkit/fake-blob-store'
import {
  hangUp,
  type Reply,
  refuse,
  type ScriptedRequest,
  scriptedHub,
  someRun,
} from '@farhand/testkit/scripted-hub'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entriesIn } from './entries-stored.ts'
import { EventSender, type EventSenderOptions } from './event-sender.ts'
import { openJournal } from './file-journal.ts'

const event = (n: number, more: Record<string, unknown> = {}): Notification => ({
  jsonrpc: '2.0',
  method: '_test/event',
  params: { n, ...more },
})
const chunk = (text: string, messageId = 'm1'): Notification => ({
  jsonrpc: '2.0',
  method: 'agent_message_chunk',
  params: { text, messageId },
})
const backoff = { firstMs: 2, maxMs: 8 }
const isPost = ({ path, method }: ScriptedRequest) => method === 'POST' && path.endsWith('/sync')

/** A hub that stores as a hub does, after `reply` had its way with the request. */
function memoryHub(
  mishap: (events: Notification[]) => Reply | undefined = () => undefined,
  shelf = fakeBlobStore(),
) {
  const log: Notification[] = []
  const reply: Reply = (response, request) => {
    if (!isPost(request)) return shelf.reply(response, request)
    const events = request.body
      .toString()
      .split('\n')
      .map((line) => JSON.parse(line) as Notification)
    const answer = mishap(events)
    if (answer) return answer(response, request)
    const seq = Number(request.headers['producer-seq'])
    for (const [nth, event] of events.entries()) log[seq + nth] = event
    const ids = events.map((_, nth) => seq + nth + 1)
    response
      .writeHead(202, { 'content-type': 'application/json' })
      .end(JSON.stringify({ lastEventId: 1, ids }))
  }
  return { log, shelf, reply }
}

async function sending(
  reply: Reply,
  { first = [], ...options }: Partial<EventSenderOptions> & { first?: Notification[] } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-sender-'))
  const hub = await scriptedHub(reply)
  const leaving = new AbortController()
  const { signal } = leaving
  const producer = new Producer({ url: hub.url }, someRun, { id: 'runner', epoch: 1, backoff, signal })
  const journal = openJournal(folder, 1).begin(first)
  const at = { hub: { url: hub.url }, at: someRun }
  const sender = new EventSender({ ...at, journal, producer, signal, backoff, ...options })
  onTestFinished(async () => {
    leaving.abort()
    await producer.idle()
    await hub.close()
    journal.close()
    rmSync(folder, { recursive: true })
  })
  return { hub, sender, producer, journal, leave: () => leaving.abort() }
}

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const ns = (log: Notification[]) => log.map(({ params }) => params!.n)

describe('what a runner says', () => {
  it('arrives in order, and is known to be stored', async () => {
    const { log, reply } = memoryHub()
    const { sender, journal } = await sending(reply)
    const numbers = [0, 1, 2, 3].map((n) => sender.send(event(n)))
    expect(numbers).toEqual([0, 1, 2, 3])
    await sender.stored(3)
    expect(ns(log)).toEqual([0, 1, 2, 3])
    await sender.stored(0)
    expect(journal.bytes).toBe(0)
  })

  it('begins with what the journal had', async () => {
    const { log, reply } = memoryHub()
    const { sender } = await sending(reply, { first: [event(0), event(1)] })
    await sender.stored(sender.send(event(2)))
    expect(ns(log)).toEqual([0, 1, 2])
  })

  it('W28 is joined while it waits, and the first chunk does not wait', async () => {
    const { open, opened } = gate()
    const { log, reply } = memoryHub()
    const { sender, hub } = await sending(async (response, request) => {
      await opened
      return reply(response, request)
    })
    sender.send(chunk('He'))
    await hub.request(1)
    for (const text of ['ll', 'o ', 'you']) sender.send(chunk(text))
    sender.send(chunk('And', 'm2'))
    const last = sender.send(chunk(' more', 'm2'))
    open()
    await sender.stored(last)
    expect(log.map(({ params }) => params)).toEqual([
      { text: 'He', messageId: 'm1' },
      { text: 'llo you', messageId: 'm1', joined: 3 },
      { text: 'And more', messageId: 'm2', joined: 2 },
    ])
    expect(log.reduce((sum, event) => sum + entriesIn(event), 0)).toBe(last + 1)
  })

  it('W28 is not every state of a tool that is not over: 200 MB of them are a few, and the last is in the journal', async () => {
    const { log, reply } = memoryHub()
    const { sender, journal, leave } = await sending(reply)
    const state = (text: string): Notification => {
      const update = { sessionUpdate: 'tool_call_update', toolCallId: 'one', rawInput: { text } }
      return { jsonrpc: '2.0', method: 'session/update', params: { update } }
    }
    let text = ''
    for (let nth = 0; nth < 200; nth++) {
      text += 'x'.repeat(10_000)
      sender.send(state(text))
    }
    expect(journal.bytes).toBeLessThan(4 * text.length)
    await sender.stored(sender.send(event(1)))
    expect(log.length).toBeLessThan(20)
    sender.send(state('more'))
    sender.send(state('more and more'))
    leave()
    expect(journal.read(log.length, { events: 9, bytes: 1e6 }).at(-1)).toEqual(state('more and more'))
  })

  it('W24 has its large values in blobs, which are there before the event', async () => {
    const text = 'x'.repeat(3_000_000)
    const { log, shelf, reply } = memoryHub(() => {
      expect(shelf.blobs.size).toBe(1)
      return undefined
    })
    const { sender } = await sending(reply)
    const tool = {
      jsonrpc: '2.0' as const,
      method: 'tool_result',
      params: { toolCallId: 't1', content: [text] },
    }
    await sender.stored(sender.send(tool))
    const { content, blobs } = log[0]!.params as { content: { _blob: string }[]; blobs: string[] }
    expect(content[0]).toMatchObject({ size: 3_000_000, head: 'x'.repeat(1000) })
    expect(blobs).toEqual([content[0]!._blob])
    expect(shelf.blobs.get(blobs[0]!)?.toString()).toBe(text)
  })

  it('is complete although one event is such that no hub takes it: word of it stands in its place', async () => {
    const { log, reply } = memoryHub()
    const { sender } = await sending(reply)
    sender.send(event(0))
    sender.send({ jsonrpc: '2.0', method: 'tool_call', params: { toolCallId: 7 } })
    await sender.stored(sender.send(event(2)))
    expect(log.map(({ method }) => method)).toEqual(['_test/event', '_posthog/error', '_test/event'])
    expect(log[1]!.params).toMatchObject({ message: expect.stringContaining('tool_call') })
  })

  it('is complete and in order although the hub refuses one event for reasons of its own', async () => {
    const { log, reply } = memoryHub((events) =>
      events.some(({ params }) => params!.n === 5)
        ? refuse(409, 'run.questions-open', 'fix-request')
        : undefined,
    )
    const refused: unknown[] = []
    const { sender } = await sending(reply, { onRefused: ({ params }) => refused.push(params!.n) })
    for (let n = 0; n < 20; n++) sender.send(event(n))
    await sender.stored(19)
    expect(log.map(({ method, params }) => (method === '_posthog/error' ? 'error' : params!.n))).toEqual([
      ...[0, 1, 2, 3, 4, 'error'],
      ...Array.from({ length: 14 }, (_, nth) => nth + 6),
    ])
    expect(refused).toEqual([5])
    expect(sender.isFull).toBe(false)
  })

  it('tells a caller that waits for an event that the hub would refuse it, as if the hub had said so', async () => {
    const { log, reply } = memoryHub()
    const refused: string[] = []
    const { sender } = await sending(reply, { onRefused: ({ method }) => refused.push(method) })
    const params = { messageId: 1, stopReason: null }
    sender.send(event(0))
    await sender.stored(sender.send({ jsonrpc: '2.0', method: '_posthog/turn_complete', params }))
    expect(log.map(({ method }) => method)).toEqual(['_test/event', '_posthog/error'])
    expect(refused).toEqual(['_posthog/turn_complete'])
  })

  it('says of an event that has too many small values where all of it is', async () => {
    const { log, shelf, reply } = memoryHub()
    const refused: unknown[] = []
    const { sender } = await sending(reply, { onRefused: ({ params }) => refused.push(params!.n) })
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, nth) => [`member ${nth}`, nth]))
    await sender.stored(sender.send(event(0, many)))
    const { error, blobs } = log[0]!.params as { error: { said: { _blob: string } }; blobs: string[] }
    expect(blobs).toEqual([error.said._blob])
    expect(JSON.parse(shelf.blobs.get(blobs[0]!)!.toString())).toEqual(event(0, many))
    expect(refused).toEqual([0])
  })

  it('is complete although the hub refuses a blob, or even word of it for a while', async () => {
    let refusals = 0
    const shelf = fakeBlobStore(({ method }) =>
      method === 'PUT' ? refuse(400, 'blob.mismatch', 'fix-request') : undefined,
    )
    const { log, reply } = memoryHub(
      (events) =>
        events.some(({ method }) => method === '_posthog/error') && ++refusals < 4
          ? refuse(400, 'request.malformed', 'fix-request')
          : undefined,
      shelf,
    )
    const { sender } = await sending(reply)
    sender.send(event(0))
    sender.send(event(1, { list: ['x'.repeat(300_000)] }))
    await sender.stored(sender.send(event(2)))
    expect(log.map(({ method }) => method)).toEqual(['_test/event', '_posthog/error', '_test/event'])
    expect(refusals).toBe(4)
  })

  it('W8 is refused once another runner has taken over, and that is told once', async () => {
    const over: unknown[] = []
    const { sender, hub } = await sending(refuse(403, 'runner.fenced', 'give-up'), {
      onOver: (why) => over.push(why),
    })
    const told = [sender.stored(sender.send(event(0))), sender.stored(sender.send(event(1)))]
    for (const one of told) await expect(one).rejects.toBeInstanceOf(Refusal)
    await expect(sender.stored(sender.send(event(2)))).rejects.toMatchObject({ code: 'runner.fenced' })
    expect(over).toHaveLength(1)
    expect(hub.requests).toHaveLength(1)
  })

  it('waits for a hub that is away; when too much waits it says so, and again when there is room', async () => {
    const { log, reply } = memoryHub()
    let isAway = true
    const room = gate()
    const { sender, journal } = await sending(
      (response, request) => (isAway ? hangUp : reply)(response, request),
      { mostBytes: 1_000_000, onRoom: room.open },
    )
    let said = 0
    while (!sender.isFull) sender.send(event(said++, { text: 'x'.repeat(1000) }))
    expect(journal.bytes).toBeGreaterThan(1_000_000)
    // An agent that cannot be paused goes on, and its events are kept.
    sender.send(event(said++))
    isAway = false
    await room.opened
    expect(sender.isFull).toBe(false)
    await sender.stored(said - 1)
    expect(ns(log)).toEqual(Array.from({ length: said }, (_, n) => n))
  })

  it('finds its place beside much that others send through the same producer', async () => {
    const { open, opened } = gate()
    const { log, reply } = memoryHub()
    const { sender, producer, hub } = await sending(async (response, request) => {
      await opened
      return reply(response, request)
    })
    const others = [producer.send(event(-1))]
    await hub.request(1)
    for (let n = 0; n < 70; n++) others.push(producer.send(event(-2, { text: 'x'.repeat(1_000_000) })))
    const outcomes = Promise.allSettled(others)
    const last = sender.send(event(0, { text: 'x'.repeat(200_000) }))
    open()
    await sender.stored(last)
    expect(log.filter(({ params }) => params!.n === 0)).toHaveLength(1)
    expect((await outcomes).some(({ status }) => status === 'rejected')).toBe(true)
  })

  it('is no longer waited for when its process leaves', async () => {
    const over: unknown[] = []
    const { sender, leave } = await sending(hangUp, { onOver: (why) => over.push(why) })
    const stored = sender.stored(sender.send(event(0)))
    leave()
    await expect(stored).rejects.toThrow()
    expect(over).toEqual([])
  })
})
