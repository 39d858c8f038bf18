import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { EntriesStored } from './entries-stored.ts'

let lastId = 0
const said = (by: SeenAuthor, method: string, params: Record<string, unknown> = {}): SeenEvent => ({
  id: ++lastId,
  type: 'notification',
  timestamp: '2026-01-01T10:30:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by,
})
const third: SeenAuthor = { kind: 'runner', generation: 3 }
const fourth: SeenAuthor = { kind: 'runner', generation: 4 }

function stored(log: SeenEvent[], generation: number): EntriesStored {
  const stored = new EntriesStored(generation)
  for (const event of log) stored.take(event)
  return stored
}
const entriesStored = (log: SeenEvent[], generation: number) => stored(log, generation).count

describe('the entries of a journal that the log has', () => {
  it('is one entry an event, and as many as were joined into one', () => {
    const log = [
      said(third, '_posthog/ack', { for: 'message', id: 1 }),
      said(third, 'agent_message_chunk', { text: 'Hello', joined: 5 }),
      said(third, '_posthog/error', { message: 'no', joined: 4 }),
    ]
    expect(entriesStored(log, 3)).toBe(10)
  })

  it('do not include events of other authors, nor those of the sync engine', () => {
    const log = [
      said({ kind: 'runner', generation: 2 }, '_posthog/ack'),
      said({ kind: 'hub' }, '_posthog/status'),
      said(third, '_posthog/file_change'),
      said(third, '_posthog/file_kept'),
      said(third, '_posthog/turn_complete'),
    ]
    expect(entriesStored(log, 3)).toBe(1)
  })

  it('cannot be made up by an agent', () => {
    expect(entriesStored([said(third, 'tool_call', { toolCallId: 't1', joined: 1000 })], 3)).toBe(1)
    expect(entriesStored([said(third, 'agent_message_chunk', { text: '', joined: -7 })], 3)).toBe(1)
    expect(entriesStored([said(third, 'agent_message_chunk', { text: '', joined: '9' })], 3)).toBe(1)
  })

  it('W8 is followed once a later runner has spoken, and not by what that did with files', () => {
    const log = [said(third, '_posthog/ack'), said(fourth, '_posthog/file_change')]
    expect(stored(log, 3).wasFollowed).toBe(false)
    expect(stored([...log, said(fourth, '_posthog/ack')], 3)).toMatchObject({ count: 1, wasFollowed: true })
    expect(stored([...log, said(fourth, '_posthog/ack')], 4).wasFollowed).toBe(false)
  })
})
