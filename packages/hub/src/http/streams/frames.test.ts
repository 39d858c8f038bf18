import { hub, laptop, runner, web } from '@farhand/protocol/events/sample-log'
import type { Author, StoredEvent } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { encodeLine } from '../../log/stored-line.ts'
import { aside, type FrameChoice, frames as framesAs } from './frames.ts'

const eventOf = (id: number, by: Author, text: string): StoredEvent => ({
  id,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method: '_test/said', params: { text, by: { kind: 'runner' } } },
  by,
})

const events = [
  eventOf(9, web, 'ü\n'),
  eventOf(10, runner, ',"by":{}'),
  eventOf(11, hub, ''),
  eventOf(12, laptop, 'x'.repeat(5000)),
]
const chunk = { bytes: Buffer.from(events.map(encodeLine).join('')), firstId: 9, lastId: 12 }

const bare = (event: StoredEvent) => `id: ${event.id}\ndata: ${JSON.stringify(event.notification)}\n\n`
const stored = (event: StoredEvent) => `id: ${event.id}\ndata: ${encodeLine(event)}\n`

const frames = (of: typeof chunk, choice: Omit<FrameChoice, 'chunked'>) =>
  framesAs(of, { ...choice, chunked: false })

describe('frames', () => {
  it('W17 carry the bare notification under its id', () => {
    expect(frames(chunk, { envelope: 'bare', to: 'everyone', files: 'together' }).toString()).toBe(
      events.map(bare).join(''),
    )
  })

  it('W17 carry the stored line when asked to', () => {
    expect(frames(chunk, { envelope: 'stored', to: 'everyone', files: 'together' }).toString()).toBe(
      events.map(stored).join(''),
    )
  })

  it('W17 to the agent leave out what a runner wrote', () => {
    const others = events.filter((event) => event.by.kind !== 'runner')
    expect(frames(chunk, { envelope: 'bare', to: 'agent', files: 'together' }).toString()).toBe(
      others.map(bare).join(''),
    )
    expect(frames(chunk, { envelope: 'stored', to: 'agent', files: 'together' }).toString()).toBe(
      others.map(stored).join(''),
    )
  })

  it('W17 to the agent can be nothing at all', () => {
    const line = Buffer.from(encodeLine(events[1]!))
    const alone = { bytes: line, firstId: 10, lastId: 10 }
    expect(frames(alone, { envelope: 'bare', to: 'agent', files: 'together' }).length).toBe(0)
  })

  it('are the same in a chunk, behind their size; nothing is no chunk at all', () => {
    const plain = frames(chunk, { envelope: 'bare', to: 'everyone', files: 'together' })
    const inChunk = framesAs(chunk, { envelope: 'bare', to: 'everyone', files: 'together', chunked: true })
    expect(inChunk.toString()).toBe(`${plain.length.toString(16)}\r\n${plain}\r\n`)
    const runners = { bytes: Buffer.from(encodeLine(events[1]!)), firstId: 10, lastId: 10 }
    expect(
      framesAs(runners, { envelope: 'bare', to: 'agent', files: 'together', chunked: true }).length,
    ).toBe(0)
    expect(aside(': ü\n\n', { chunked: true }).toString()).toBe('6\r\n: ü\n\n\r\n')
    expect(aside(': ü\n\n', { chunked: false }).toString()).toBe(': ü\n\n')
  })
})
