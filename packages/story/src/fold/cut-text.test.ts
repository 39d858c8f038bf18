import { hub, type Line, runner, sampleHash, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { cutBytes, shownText, wholeText } from '../items/cut-text.ts'
import { itemsOf, told } from './story-under-test.ts'

const hash = sampleHash('a long text')
const marker = { _blob: hash, size: 11, head: 'a lo' }
const cutChunk = (method: string, more: object = {}): Line => [
  runner,
  method,
  { text: 'a lo', whole: { text: marker }, blobs: [hash], ...more },
]
const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
const chunk = (text: string): Line => [runner, 'agent_message_chunk', { text }]
const fetchBlob = async () => new TextEncoder().encode('a long text')

describe('a text that is too long for the log (W24)', () => {
  it('says of the words of an agent where something is left out, and can be had whole', async () => {
    const log = [chunk('See: '), cutChunk('agent_message_chunk'), chunk('. Well?')]
    const [words] = itemsOf(told(...log), 'words')
    expect(words!.text).toBe('See: a lo. Well?')
    expect(shownText(words!)).toBe('See: a lo …. Well?')
    expect(cutBytes(words!)).toBe(11)
    expect(await wholeText(words!, fetchBlob)).toBe('See: a long text. Well?')
  })

  it('is told of thoughts, and of a text within a resource, as of words', async () => {
    const [thought] = itemsOf(told(cutChunk('agent_thought_chunk')), 'thought')
    expect(await wholeText(thought!, fetchBlob)).toBe('a long text')
    const content = { type: 'resource', resource: { uri: 'file:///a', text: marker } }
    const inside: Line = [runner, 'agent_message_chunk', { text: '', content, blobs: [hash] }]
    const [words] = itemsOf(told(inside), 'words')
    expect(await wholeText(words!, fetchBlob)).toBe('a long text')
  })

  it('is told of a question, of a notice and of what a command printed, as of words', async () => {
    const cut = (name: string) => ({ [name]: 'a lo', whole: { [name]: marker }, blobs: [hash] })
    const question: Line = [
      runner,
      '_posthog/agent_question',
      { questionId: 'qst_question1', ...cut('question') },
    ]
    const notices: Line[] = [
      [runner, '_posthog/error', cut('message')],
      [runner, '_posthog/console', { level: 'warn', ...cut('message') }],
    ]
    const shell: Line[] = [
      [web, '_posthog/shell', { command: 'make', id: 's' }],
      [runner, '_posthog/sandbox_output', { id: 's', stdout: 'See: ' }],
      [runner, '_posthog/sandbox_output', { id: 's', ...cut('stdout') }],
      [runner, '_posthog/sandbox_output', { id: 's', stderr: '!', ...cut('stdout') }],
    ]
    const all = told(start, question, ...notices, ...shell)
    const [asked] = itemsOf(all, 'question')
    expect(shownText(asked!)).toBe('a lo …')
    expect(await wholeText(asked!, fetchBlob)).toBe('a long text')
    for (const notice of itemsOf(all, 'notice'))
      expect(await wholeText(notice, fetchBlob)).toBe('a long text')
    const [printed, failed] = itemsOf(all, 'shell')[0]!.output
    expect(shownText(printed!)).toBe('See: a lo …a lo …')
    expect(await wholeText(printed!, fetchBlob)).toBe('See: a long texta long text')
    expect(failed).toEqual({ text: '!', cuts: [], isError: true })
  })

  it('is the text of a question within the card of a tool, too', async () => {
    const tool: Line = [runner, 'tool_call', { toolCallId: 'c', title: 'a.ts', status: 'pending' }]
    const about = { questionId: 'qst_question1', toolCallId: 'c' }
    const cut = { question: 'a lo', whole: { question: marker }, blobs: [hash] }
    const all = told(start, tool, [runner, '_posthog/agent_question', { ...about, ...cut }])
    expect(await wholeText(itemsOf(all, 'tool')[0]!.question!, fetchBlob)).toBe('a long text')
  })

  it('is not one that an agent only says is, without a blob that the event names', () => {
    const [words] = itemsOf(told(cutChunk('agent_message_chunk', { blobs: [] })), 'words')
    expect(words).toMatchObject({ text: 'a lo', cuts: [] })
    expect(shownText(words!)).toBe('a lo')
  })
})
