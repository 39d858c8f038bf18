import { describe, expect, it } from 'vitest'
import { checkNotification } from '../events/check-notification.ts'
import type { Author } from '../wire/event.ts'
import { translateMessage } from './translate-message.ts'

const runner: Author = { kind: 'runner', generation: 1 }
const web = { kind: 'web', id: 'usr_aaaaaaaa' } as Author
const said = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  method,
  ...(params !== undefined && { params }),
})

/** As the hub reads it: translated, and fit for the log. */
function read(value: unknown, by: Author = runner): unknown {
  const words = translateMessage(value, { by, newId: (prefix) => `${prefix}_new` })
  checkNotification(words, by.kind)
  return words
}

describe('W63 messages in the dialect of the seeds', () => {
  it.each([
    ['the text of an event id', { id: '12' }, { id: 12 }],
    ['an event id with the prefix of 001', { id: 'evt_12' }, { id: 12 }],
    ['null for no id', { id: null }, {}],
  ])('W63 an ack is read with %s', (_, sent, stored) => {
    expect(read(said('_posthog/ack', { for: 'user_message', ...sent }))).toEqual(
      said('_posthog/ack', { for: 'user_message', ...stored }),
    )
  })

  it('W63 an ack of a malformed id is refused and not guessed', () => {
    for (const id of ['12a', '', '-1', '1'.repeat(16), 'evt_'])
      expect(() => read(said('_posthog/ack', { for: 'user_message', id })), id).toThrow('params.id')
  })

  it.each([
    ['agent_message', { content: 'hi' }],
    ['agent_message', { text: 'hi' }],
    ['_posthog/agent_message', { content: 'hi' }],
    ['agent_message_chunk', { content: 'hi' }],
    ['agent_message_chunk', { content: { type: 'text', text: 'hi' } }],
  ])('W63 the words of the agent are read from %s with %j', (method, params) => {
    expect(read(said(method, { sessionId: 's', ...params }))).toEqual(
      said('agent_message_chunk', { sessionId: 's', text: 'hi' }),
    )
  })

  it('W63 W26 a chunk keeps a content that is more than its text, and a malformed one', () => {
    const noted = { type: 'text', text: 'hi', annotations: { priority: 1 } }
    expect(read(said('user_message_chunk', { content: noted }))).toEqual(
      said('user_message_chunk', { content: noted, text: 'hi' }),
    )
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' }
    expect(read(said('agent_message_chunk', { content: image }))).toEqual(
      said('agent_message_chunk', { content: image, text: '' }),
    )
  })

  it('W63 null for the message of a commit is left out', () => {
    expect(read(said('_posthog/git_commit', { sha: 'abcd', branch: null, message: null }))).toEqual(
      said('_posthog/git_commit', { sha: 'abcd', branch: null }),
    )
  })

  it.each(['_posthog/set_mode', 'session/set_mode'])(
    'W63 setMode of 000 sent as %s sets the mode of the run',
    (method) => {
      expect(read(said(method, { sessionId: 'run_a', mode: 'background' }), web)).toEqual(
        said('_posthog/mode_change', { sessionId: 'run_a', mode: 'background' }),
      )
      // ACP's own is about the agent, even if its mode has one of our names.
      const ofAgent = said('session/set_mode', { sessionId: 's', modeId: 'background' })
      expect(read(ofAgent, web)).toBe(ofAgent)
    },
  )

  it('W63 W12 the initialize of MCP opens the session', () => {
    expect(read(said('initialize', {}), web)).toEqual(said('_posthog/session_init', {}))
    expect(() => read(said('initialize', {}))).toThrow('Unknown method initialize')
  })

  it('W15 a method without its prefix is refused with the name that was meant', () => {
    expect(() => read(said('user_message', { content: 'x' }), web)).toThrow(
      'did you mean _posthog/user_message?',
    )
    expect(() => read(said('nothing'), web)).toThrow('a method of your own has to begin with _')
  })

  it('W63 a message in the log’s own dialect is the same object', () => {
    for (const value of [
      said('_posthog/ack', { for: 'user_message', id: 12 }),
      said('agent_message_chunk', { text: 'hi', content: { type: 'text', text: 'hi' } }),
      said('_posthog/git_commit', { sha: 'abcd', message: 'm' }),
      said('_posthog/question_closed', { questionId: 'qst_aaaaaaaa', how: 'answered' }),
    ])
      expect(read(value)).toBe(value)
  })
})
