import type { SeenAuthor, SeenEvent } from '@farhand/protocol/seen-event'
import { describe, expect, it } from 'vitest'
import { entriesStored } from './entries-stored.ts'

let lastId = 0
const said = (by: SeenAuthor, method: string, params: Record<string, unknown> = {}): SeenEvent => ({
  id: ++lastId,
  type: 'notification',
  timestamp: '2026-01-01T10:30:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by,
})
const third: SeenAuthor = { kind: 'runner', generation: 3 }

describe('what the log has of a journal', () => {
  it('is one entry an event, and as many as were joined into one', () => {
    const log = [
      said(third, '_posthog/ack', { for: 'message', id: 1 }),
      said(third, 'agent_message_chunk', { text: 'Hello', joined: 5 }),
      said(third, '_posthog/error', { message: 'no', joined: 4 }),
    ]
    expect(entriesStored(log, 3)).toBe(10)
  })

  it('is nothing of what others said, nor of what the sync engine did', () => {
    const log = [
      said({ kind: 'runner', generation: 2 }, '_posthog/ack'),
      said({ kind: 'hub' }, '_posthog/status'),
      said(third, '_posthog/file_change'),
      said(third, '_posthog/file_kept'),
      said(third, '_posthog/turn_complete'),
    ]
    expect(entriesStored(log, 3)).toBe(1)
  })

  it('is not what an agent makes up', () => {
    expect(entriesStored([said(third, 'tool_call', { toolCallId: 't1', joined: 1000 })], 3)).toBe(1)
    expect(entriesStored([said(third, 'agent_message_chunk', { text: '', joined: -7 })], 3)).toBe(1)
    expect(entriesStored([said(third, 'agent_message_chunk', { text: '', joined: '9' })], 3)).toBe(1)
  })
})
