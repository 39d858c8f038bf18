import type { StoredEvent } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { webHookCalls } from './web-hook-calls.ts'

const timestamp = '2026-01-01T12:00:00.000Z'
const events = (...all: [string, Record<string, unknown>?][]): StoredEvent[] =>
  all.map(([method, params = {}], nth) => ({
    id: nth + 1,
    type: 'notification',
    timestamp,
    notification: { jsonrpc: '2.0', method, params },
    by: { kind: 'runner', generation: 1 },
  }))
const chunk = (text: string, messageId?: string): [string, Record<string, unknown>] => [
  'agent_message_chunk',
  { text, ...(messageId && { messageId }) },
]
const short = (some: StoredEvent[]) =>
  webHookCalls(some, null).calls.map(({ event, id, settled, about }) => [
    event,
    id,
    settled,
    'text' in about ? about.text : about.notification.method,
  ])

describe('calls to web hooks', () => {
  it('W14 a message is sent once, whole, when it is over; events in between do not cut it', () => {
    const file: [string] = ['_posthog/file_change']
    const end: [string, Record<string, unknown>] = ['_posthog/turn_complete', { stopReason: 'end_turn' }]
    expect(short(events(chunk('Hel'), file, chunk('lo'), ['tool_call'], chunk('bye'), end))).toEqual([
      ['agent_message', 3, 3, 'Hello'],
      ['agent_message', 5, 5, 'bye'],
      ['done', 6, 6, '_posthog/turn_complete'],
    ])
    expect(short(events(chunk('a', 'm1'), chunk('b', 'm2'), end)).map(([, , , text]) => text)).toEqual([
      'a',
      'b',
      '_posthog/turn_complete',
    ])
  })

  it('W14 an error within a message is sent at once, and nothing of the message is lost by it', () => {
    const some = events(chunk('a'), ['_posthog/error', { message: 'x' }], chunk('b'))
    expect(short(some)).toEqual([['error', 2, 0, '_posthog/error']])
    expect(webHookCalls(some, null).open).toMatchObject({ firstId: 1, lastId: 3, text: 'ab' })
  })

  it('W14 events that are read in pieces give the same calls as events read at once', () => {
    const some = events(chunk('a'), chunk('b'), ['_posthog/agent_question', { question: '?' }], chunk('c'))
    const whole = webHookCalls(some, null)
    for (let cut = 0; cut <= some.length; cut++) {
      const first = webHookCalls(some.slice(0, cut), null)
      const rest = webHookCalls(some.slice(cut), first.open)
      expect({ calls: [...first.calls, ...rest.calls], open: rest.open }).toEqual(whole)
    }
  })

  it('W14 a turn that ended badly and a run that failed are errors', () => {
    const bad: [string, Record<string, unknown>] = ['_posthog/turn_complete', { stopReason: 'failed' }]
    const failed: [string, Record<string, unknown>] = ['_posthog/status', { status: 'failed' }]
    const fine: [string, Record<string, unknown>] = ['_posthog/status', { status: 'active' }]
    expect(short(events(bad, failed, fine)).map(([event]) => event)).toEqual(['error', 'error'])
  })
})
