import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AcpUpdate, eventOf, updateOf } from './acp-updates.ts'
import { checkNotification } from './check-notification.ts'

const say = (update: Record<string, unknown>) => eventOf(update as AcpUpdate)
const text = (text: string, more = {}) => ({ type: 'text', text, ...more })

const kinds = [
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'session/update',
  'tool_result',
  '_vendor.example/thing',
  '__proto__',
]
const key = fc.oneof(
  fc.constantFrom('text', 'content', 'joined', 'blobs', 'whole', 'messageId', 'toolCallId', 'status'),
  fc.constantFrom('_meta', 'update', '__proto__', 'constructor', 'type'),
  fc.string(),
)
const anything = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const fields = fc
  .array(fc.tuple(key, anything), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries) as Record<string, unknown>)
const content = fc.oneof(
  fc.string().map((said) => text(said)),
  fc.tuple(fc.string(), fields).map(([said, more]) => ({ ...more, ...text(said) })),
  fields.map((more) => ({ ...more, type: 'image' })),
  anything,
)
const update = fc
  .record({
    kind: fc.oneof(fc.constantFrom(...kinds), fc.string({ minLength: 1 })),
    known: fc.record(
      {
        content,
        messageId: fc.option(fc.string()),
        toolCallId: fc.string(),
        status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed', null),
      },
      { requiredKeys: [] },
    ),
    more: fields,
  })
  .map(({ kind, known, more }) => ({ ...more, ...known, sessionUpdate: kind }))

describe('updates of an agent', () => {
  it('W26 come back from the log with every kind and every field, known or not', () => {
    fc.assert(
      fc.property(update, (one) => {
        const travelled = JSON.parse(JSON.stringify(say(one)))
        expect(JSON.parse(JSON.stringify(updateOf(travelled)))).toEqual(one)
      }),
      { numRuns: 2000 },
    )
  })

  it('W26 are events that a hub takes, of known and unknown kinds', () => {
    fc.assert(
      fc.property(update, (one) => checkNotification(say(one), 'runner')),
      { numRuns: 2000 },
    )
  })

  it('W26 become the words of the log where it has words for them', () => {
    const chunk = { sessionUpdate: 'agent_message_chunk', content: text('Hi'), messageId: 'm1' }
    expect(say(chunk)).toMatchObject({
      method: 'agent_message_chunk',
      params: { text: 'Hi', messageId: 'm1' },
    })
    expect(say(chunk).params).not.toHaveProperty('content')
    const call = { toolCallId: 't1', title: 'Reading', rawInput: { path: 'a' } }
    expect(say({ ...call, sessionUpdate: 'tool_call' })).toMatchObject({ method: 'tool_call', params: call })
    const plan = { sessionUpdate: 'plan', entries: [] }
    expect(say(plan)).toMatchObject({ method: 'session/update', params: { update: plan } })
  })

  it.each([
    ['completed', 'tool_result'],
    ['failed', 'tool_result'],
    ['in_progress', 'session/update'],
    [undefined, 'session/update'],
  ])('W26 a tool call that is now %s, begun or not, is a %s', (status, method) => {
    expect(say({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status }).method).toBe(method)
  })

  it('W26 a chunk that is more than text says what can be read of it, and all of it', () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    expect(say({ sessionUpdate: 'agent_message_chunk', content: image }).params).toEqual({
      text: '',
      content: image,
    })
    const marked = text('Hi', { annotations: { audience: ['user'] } })
    expect(say({ sessionUpdate: 'agent_message_chunk', content: marked }).params).toEqual({
      text: 'Hi',
      content: marked,
    })
  })

  it('W28 fields that a runner adds to an event are not part of the agent’s update', () => {
    const params = { text: 'Hi there', messageId: 'm1', joined: 2 }
    expect(updateOf({ jsonrpc: '2.0', method: 'agent_message_chunk', params })).toEqual({
      sessionUpdate: 'agent_message_chunk',
      content: text('Hi there'),
      messageId: 'm1',
    })
  })

  it('are not made from other methods, nor from malformed params', () => {
    expect(updateOf({ jsonrpc: '2.0', method: '_posthog/ack', params: { for: 'x', id: 1 } })).toBeNull()
    expect(updateOf({ jsonrpc: '2.0', method: 'session/update', params: { update: 3 } })).toBeNull()
  })
})
