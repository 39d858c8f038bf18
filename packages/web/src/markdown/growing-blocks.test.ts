import fc from 'fast-check'
import type { Tokens } from 'marked'
import { describe, expect, it } from 'vitest'
import { growingBlocks, noBlocks } from './growing-blocks.ts'

const pieces = [
  'Some words\n',
  '\n',
  '# Title\n',
  '- one\n',
  '  - within\n',
  '1. first\n',
  '```ts\n',
  'const a = 1\n',
  '```\n',
  '> said\n',
  '| a | b |\n',
  '|---|---|\n',
  '---\n',
  '===\n',
  '    four blanks\n',
  '<div>\n',
  '- [x] done\n',
  '**bold** and `code`',
]
const written = fc.array(fc.constantFrom(...pieces), { maxLength: 25 }).map((parts) => parts.join(''))
const shape = (text: string, portions: readonly number[]) => {
  let read = noBlocks
  for (const until of [...portions, text.length]) read = growingBlocks(read, text.slice(0, until))
  return read.blocks.map(({ type, raw }) => ({ type, raw }))
}

describe('blocks of a text that grows', () => {
  it('are those of the whole text, no matter in which portions it came', () => {
    fc.assert(
      fc.property(written, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
        const portions = cuts.filter((at) => at < text.length).sort((a, b) => a - b)
        expect(shape(text, portions)).toEqual(shape(text, []))
      }),
      { numRuns: 150 },
    )
  })

  it('go on with a list by words that looked like another one while they came', () => {
    const text = 'Words\n1. first\n| a |\n**bold**'
    expect(shape(text, [text.length - 7])).toEqual(shape(text, []))
  })

  it('stay the same objects while the text goes on below them', () => {
    const before = growingBlocks(noBlocks, 'One.\n\nTwo.\n\nThr')
    const after = growingBlocks(before, 'One.\n\nTwo.\n\nThree.')
    expect(after.blocks.slice(0, 4)).toEqual(before.blocks.slice(0, 4))
    for (const at of [0, 1, 2, 3]) expect(after.blocks[at]).toBe(before.blocks[at])
    expect(growingBlocks(after, after.text)).toBe(after)
  })

  it('are read anew when the text is another one', () => {
    const before = growingBlocks(noBlocks, 'One.\n\nTwo.')
    expect(growingBlocks(before, 'Other.').blocks.map(({ raw }) => raw)).toEqual(['Other.'])
  })

  // Each of these took the reader from seconds to a minute: then this test is over its time.
  it('that are made to hold up the page are still parsed', () => {
    for (const part of ['***a', '*!*', '> - ', '>', '1. ', 'a@', '[a]: b\n', '[a](b', '<a ', '`a``'])
      expect(growingBlocks(noBlocks, part.repeat(80_000 / part.length)).blocks).not.toEqual([])
  })

  // Read anew for each portion, each of these held up the page for minutes: then this test is over its time.
  it('that are made to hold up the page while they grow are still parsed', { timeout: 120_000 }, () => {
    for (const part of ['__', '**', '- [ ] a\n']) {
      const text = part.repeat(190_000 / part.length)
      let read = noBlocks
      for (let until = 0; until <= text.length; until += 2_000)
        read = growingBlocks(read, text.slice(0, until))
      expect(read.blocks.map(({ raw }) => raw).join('')).toBe(text)
    }
  })

  it('are shown as plain text if no person writes so: very long paragraphs, and very many task boxes', () => {
    const [long] = growingBlocks(noBlocks, '**a** '.repeat(4_000)).blocks
    expect(long).toMatchObject({ type: 'paragraph', tokens: [{ type: 'text' }] })
    const boxes = (count: number) => {
      const [list] = growingBlocks(noBlocks, '- [x] a\n'.repeat(count)).blocks
      const { items } = list as Tokens.List
      return [items.length, items.every(({ task }) => task), items.some(({ task }) => task)]
    }
    expect([boxes(500), boxes(501)]).toEqual([
      [500, true, true],
      [501, false, false],
    ])
  })

  it('nested without end do not throw', () => {
    for (const text of ['>'.repeat(2_000), '- '.repeat(5_000), '['.repeat(5_000), '*a_'.repeat(5_000)])
      expect(growingBlocks(noBlocks, text).blocks.length).toBeGreaterThan(0)
  })
})
