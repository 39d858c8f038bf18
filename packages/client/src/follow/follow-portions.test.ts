import { endFrame, liveFrame, type Reply, someRun, stream } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { type FollowPortionsOptions, followPortions } from './follow.ts'
import { OtherLog } from './witness.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 } }
const noon = '2026-11-15T12:00:00.000Z'
const stored = (id: number, timestamp = noon) => {
  const event = {
    id,
    type: 'notification',
    timestamp,
    notification: { jsonrpc: '2.0', method: '_test/event', params: { n: id } },
    by: { kind: 'device', id: 'dev_12345678' },
  }
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`
}

async function portions(url: string, options: FollowPortionsOptions = {}): Promise<[number[], boolean][]> {
  const seen: [number[], boolean][] = []
  for await (const { events, live } of followPortions({ url }, someRun, { ...fast, ...options })) {
    seen.push([events.map(({ id }) => id), live])
  }
  return seen
}

/** Writes the next piece once the reader has the one before. */
function pieces() {
  const waiting: (() => void)[] = []
  return {
    next: () => waiting.shift()?.(),
    reply: (async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(stored(1) + stored(2))
      await new Promise<void>((resolve) => waiting.push(resolve))
      response.write(stored(3) + liveFrame(3) + stored(4))
      await new Promise<void>((resolve) => waiting.push(resolve))
      response.end(stored(5) + endFrame)
    }) satisfies Reply,
  }
}

describe('followPortions', () => {
  it('gives events that arrived together as one portion, and says from which one on it is live', async () => {
    const script = pieces()
    const hub = await hubThat(script.reply)
    const seen: unknown[] = []
    for await (const { events, live } of followPortions({ url: hub.url }, someRun, fast)) {
      seen.push([events.map(({ id }) => id), live])
      script.next()
    }
    expect(seen).toEqual([
      [[1, 2], false],
      [[3, 4], true],
      [[5], true],
    ])
    expect(hub.requests[0]?.query.get('envelope')).toBe('stored')
  })

  it('W19 says that it is live though nothing is new', async () => {
    const hub = await hubThat(stream([liveFrame(7), endFrame]))
    expect(await portions(hub.url, { after: 7 })).toEqual([[[], true]])
  })

  it('W18 gives the events before a gap, and requests the rest', async () => {
    const hub = await hubThat(
      stream([stored(1) + stored(3)], (response) => void response.end()),
      stream([stored(2) + stored(3) + endFrame]),
    )
    expect(await portions(hub.url)).toEqual([
      [[1], false],
      [[2, 3], false],
    ])
    expect(hub.requests.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1'])
  })

  it('is not live on a new connection until the hub says so there', async () => {
    // Each goes on when the reader has what was said before: in one piece it would be another story.
    let goOn = () => {}
    const hub = await hubThat(
      stream([stored(1) + liveFrame(1)], (response) => {
        goOn = () => response.destroy()
      }),
      stream([stored(2)], (response) => {
        goOn = () => response.end(liveFrame(2) + endFrame)
      }),
    )
    const seen: unknown[] = []
    for await (const { events, live } of followPortions({ url: hub.url }, someRun, fast)) {
      seen.push([events.map(({ id }) => id), live])
      goOn()
    }
    expect(seen).toEqual([
      [[1], true],
      [[2], false],
      [[], true],
    ])
  })

  describe('by a reader that has read this log before', () => {
    const witness = { id: 2, timestamp: noon }
    const later = '2026-11-15T13:00:00.000Z'

    it('begins with the event that is known, and does not give it again', async () => {
      const hub = await hubThat(stream([stored(2), stored(3), liveFrame(3), endFrame]))
      expect(await portions(hub.url, { after: 2, witness })).toEqual([[[3], true]])
      expect(hub.requests[0]?.headers['last-event-id']).toBe('1')
    })

    it.each([
      ['has another event there', [stored(2, later), stored(3, later), liveFrame(3)], { after: 2 }],
      ['ends right before it', [liveFrame(1)], { after: 2 }],
      ['has another one further on, up to where the reader had been', [stored(1), stored(2, later)], {}],
      ['ends before the reader had been so far', [stored(1), liveFrame(1)], {}],
      ['ended, with the run, before that', [stored(1), endFrame], {}],
    ])('is told that the log is another one if it %s', async (_, frames, options) => {
      const hub = await hubThat(stream(frames))
      await expect(portions(hub.url, { ...options, witness })).rejects.toBeInstanceOf(OtherLog)
    })

    it('compares at every connection, with the newest event that was read', async () => {
      const hub = await hubThat(
        stream([stored(1), stored(2), liveFrame(2)], (response) => void response.end()),
        stream([stored(2), stored(3), liveFrame(3)], (response) => void response.end()),
        stream([stored(3, later), liveFrame(3)]),
      )
      await expect(portions(hub.url, { witness: null })).rejects.toBeInstanceOf(OtherLog)
      expect(hub.requests.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1', '2'])
    })
  })
})
