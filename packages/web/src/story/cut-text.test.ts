import { hashOf, type Line, runner } from '@farhand/protocol/story'
import { describe, expect, it } from 'vitest'
import { cutBytes, shownText, wholeText } from './cut-text.ts'
import { itemsOf, told } from './told-under-test.ts'

const hash = hashOf('a long text')
const marker = { _blob: hash, size: 11, head: 'a lo' }
const cutChunk = (method: string, more: object = {}): Line => [
  runner,
  method,
  { text: 'a lo', whole: { text: marker }, blobs: [hash], ...more },
]
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

  it('is not one that an agent only says is, without a blob that the event names', () => {
    const [words] = itemsOf(told(cutChunk('agent_message_chunk', { blobs: [] })), 'words')
    expect(words).toMatchObject({ text: 'a lo', cuts: [] })
    expect(shownText(words!)).toBe('a lo')
  })
})
