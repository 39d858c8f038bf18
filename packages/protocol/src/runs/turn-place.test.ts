import { describe, expect, it } from 'vitest'
import type { Notification } from '../wire/event.ts'
import { type TurnPlace, turnPlace } from './turn-place.ts'

const event = (method: string, params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})
const ack = event('_posthog/ack', { for: 'user_message', id: 7 })
const withdrawn = event('_posthog/message_edit', { messageId: 7, content: null })
const done = event('_posthog/turn_complete', { messageId: 7, stopReason: 'end_turn' })
const chunk = event('agent_message_chunk', { text: 'x' })

const after = (...events: Notification[]) =>
  events.reduce((place, one) => turnPlace(place, one, 7), 'before' as TurnPlace)

describe('the turn of a message', () => {
  it('goes from its ack to its end, and others have nothing to do with it', () => {
    expect([after(), after(ack), after(ack, chunk), after(ack, done)]).toEqual([
      'before',
      'inside',
      'inside',
      'over',
    ])
    expect(turnPlace('before', ack, 8)).toBe('before')
  })

  it('W29 never begins once the message is withdrawn, even if an ack was on its way', () => {
    expect(after(withdrawn)).toBe('withdrawn')
    expect(after(withdrawn, ack)).toBe('withdrawn')
    expect(after(withdrawn, ack, chunk)).toBe('withdrawn')
  })

  it('W29 goes on if the withdrawal comes after the ack', () => {
    expect(after(ack, withdrawn)).toBe('inside')
    expect(after(ack, withdrawn, done)).toBe('over')
  })

  it('W29 does not begin again after its end', () => {
    expect(after(ack, done, ack)).toBe('over')
  })
})
