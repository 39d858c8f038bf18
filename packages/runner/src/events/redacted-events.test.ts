import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { RedactedEvents } from './redacted-events.ts'
import { Redaction } from './redaction.ts'

const value = 'hunter2-hunter2'
const event = (method: string, params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})
const chunk = (text: string, more = {}) => event('agent_message_chunk', { text, ...more })

function said(...events: Notification[]): Notification[] {
  const redacted = new RedactedEvents(new Redaction([{ name: 'KEY', value }]))
  return events.flatMap((one) => redacted.take(one))
}
const texts = (events: readonly Notification[]) => events.map(({ params }) => params?.text ?? '-')

describe('W41 what a runner says', () => {
  it('has no secret that is cut over chunks of a message, also with something beside them', () => {
    const usage = event('session/update', { update: { sessionUpdate: 'usage_update' } })
    const all = said(chunk('it is hun'), chunk('ter2-'), usage, chunk('hunter2 and'), chunk(' more'))
    expect(texts(all)).toEqual(['it is ', '-', '[secret KEY] and', ' more'])
  })

  it('is whole before the next event: another message, a tool, the end of the turn', () => {
    const end = event('_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' })
    expect(texts(said(chunk('go hun'), end))).toEqual(['go ', 'hun', '-'])
    const thought = event('agent_thought_chunk', { text: 'hm' })
    expect(texts(said(chunk('go hun'), thought))).toEqual(['go ', 'hun', 'hm'])
    const other = said(chunk('go hun', { messageId: 'a' }), chunk('ter', { messageId: 'b' }))
    expect(other.map(({ params }) => params)).toEqual([
      { text: 'go ', messageId: 'a' },
      { text: 'hun', messageId: 'a' },
      { text: 'ter', messageId: 'b' },
    ])
  })

  it('has no secret in chunks with more to them than text', () => {
    const [first, second] = said(
      chunk('a hunter2', { _meta: { of: value } }),
      chunk('-hunter2', { content: { type: 'image', uri: `http://x/${value}` }, text: '' }),
    )
    expect(first?.params).toEqual({ text: 'a ', _meta: { of: '[secret KEY]' } })
    expect(JSON.stringify(second)).not.toContain(value)
  })

  it('has none in tools, questions, errors and what commands print, each output being one text', () => {
    const all = said(
      event('tool_call', { toolCallId: '1', rawInput: { env: { a: [value] } } }),
      event('session/update', {
        update: { sessionUpdate: 'tool_call_update', rawInput: value.slice(0, 13) },
      }),
      event('_posthog/agent_question', { question: `use ${value}?` }),
      event('_posthog/error', { message: value }),
      event('_posthog/sandbox_output', { id: 'a', stdout: 'is hunter2' }),
      event('_posthog/sandbox_output', { id: 'b', stdout: 'hunter2' }),
      event('_posthog/sandbox_output', { id: 'a', stderr: '-hunter2' }),
      event('_posthog/sandbox_output', { id: 'a', stdout: '-hunter2.' }),
      event('_posthog/sandbox_output', { id: 'b', exitCode: 0 }),
      event('_posthog/sandbox_output', { id: 'b', stdout: 'hun' }),
    )
    expect(JSON.stringify(all.slice(0, 4))).not.toContain('hunter2')
    expect(all.slice(4).map(({ params }) => params)).toEqual([
      { id: 'a', stdout: 'is ' },
      { id: 'b', stdout: '' },
      { id: 'a', stderr: '-' },
      { id: 'a', stdout: '[secret KEY].' },
      { id: 'b', stdout: 'hunter2', exitCode: 0 },
      { id: 'b', stdout: 'hun' },
    ])
  })

  it('does not end with most of a secret where the rest was cut off', () => {
    const end = event('_posthog/turn_complete', { messageId: 1, stopReason: 'cancelled' })
    expect(texts(said(chunk('it is hunter2-hunt'), end))).toEqual(['it is ', '[secret KEY]', '-'])
    const output = event('_posthog/sandbox_output', { id: 'a', stdout: 'hunter2-hunt', exitCode: 0 })
    expect(said(output)[0]?.params).toEqual({ id: 'a', stdout: '[secret KEY]', exitCode: 0 })
  })

  it.each(['messageId', 'completed', 'update', 'content', 'branch', 'release'])(
    'can be understood, and gone by, also if a secret is the word "%s"',
    (word) => {
      const redacted = new RedactedEvents(new Redaction([{ name: 'KEY', value: word }]))
      const events = [
        event('_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' }),
        event('session/update', {
          update: { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' },
        }),
        event('tool_call', { toolCallId: 'a', content: [] }),
        event('_posthog/git_commit', { sha: 'abcd', branch: 'release', kind: 'commit' }),
        event('_posthog/agent_start', { agent: 'release', sessionId: 'release', how: 'new' }),
      ]
      expect(events.flatMap((one) => redacted.take(one))).toEqual(events)
      const message = `it is ${word}`
      const file = event('_posthog/file_content', { path: word, content: message })
      expect(redacted.take(file)[0]?.params).toEqual({ path: word, content: 'it is [secret KEY]' })
      for (const method of ['_posthog/git_commit', '_posthog/console'])
        expect(redacted.take(event(method, { message }))[0]?.params?.message).toBe('it is [secret KEY]')
    },
  )

  it('is the very same event where there is no secret in it', () => {
    const one = event('tool_call', { toolCallId: '1', rawInput: { deep: ['x'] } })
    expect(said(one)[0]).toBe(one)
    const plain = chunk('nothing in it!')
    expect(said(plain)[0]).toBe(plain)
  })
})
