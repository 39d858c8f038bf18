import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { shortenBefore, shortened, tokensOf } from './shortening.ts'

const text = 'x'.repeat(3000)
const rounds = (count: number): ModelMessage[] =>
  Array.from({ length: count }, (_, at): ModelMessage[] => [
    { role: 'user', content: `do ${at}` },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: `${at}`, toolName: 'write', input: { path: 'a', text } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `${at}`,
          toolName: 'write',
          output: { type: 'text', value: text },
        },
      ],
    },
  ]).flat()

describe('a long conversation', () => {
  it('stays as it is while it fits', () => {
    expect(shortenBefore(rounds(5), 0, 100_000)).toBe(0)
    expect(shortened(rounds(5), 0)).toEqual(rounds(5))
  })

  it('is shortened from its beginning, to half of the window, and never in its last messages', () => {
    const messages = rounds(10)
    const at = shortenBefore(messages, 0, 20_000)
    expect(at).toBeGreaterThan(0)
    const sent = shortened(messages, at)
    expect(tokensOf(sent)).toBeLessThanOrEqual(10_000)
    expect(tokensOf(shortened(messages, at - 1))).toBeGreaterThan(10_000)
    expect(sent.slice(at)).toEqual(messages.slice(at))
    expect(shortenBefore(messages, 0, 10)).toBe(messages.length - 4)
  })

  it('is shortened again only when it has grown out of the window again', () => {
    const at = shortenBefore(rounds(10), 0, 20_000)
    expect(shortenBefore(rounds(11), at, 20_000)).toBe(at)
    expect(shortenBefore(rounds(20), at, 20_000)).toBeGreaterThan(at)
  })

  it('keeps every message, every call and the users’ words', () => {
    const sent = shortened(rounds(3), 9)
    expect(sent.map(({ role }) => role)).toEqual(rounds(3).map(({ role }) => role))
    expect(sent[0]).toEqual({ role: 'user', content: 'do 0' })
    expect(JSON.stringify(sent[1])).toMatch(/"path":"a","text":"x{400}\\n\[2600 more characters/)
    expect(JSON.stringify(sent[2])).toMatch(/x{400}\\n\[2600 more characters were here/)
  })

  it('counts a picture by its tokens and not by its bytes', () => {
    const picture = (bytes: number): ModelMessage[] => [
      { role: 'user', content: [{ type: 'image', image: 'A'.repeat(bytes) }] },
    ]
    expect(tokensOf(picture(1_000_000))).toBe(tokensOf(picture(10)))
  })
})
