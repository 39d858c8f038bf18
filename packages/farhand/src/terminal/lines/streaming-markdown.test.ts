import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { painted } from './palette.ts'
import { StreamingMarkdown } from './streaming-markdown.ts'
import type { Line } from './styled-line.ts'
import { textWidth } from './text-width.ts'

const plain = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''))

/** All lines of a text that comes in these pieces, each style in brackets before its words. */
function shown(pieces: readonly string[], width = 60, keepsMarks = false): string[] {
  const markdown = new StreamingMarkdown(keepsMarks)
  const lines = pieces.flatMap((piece) => markdown.take(piece, width))
  return [...lines, ...markdown.end(width)].map((line) =>
    line.map(({ text, style }) => (style ? `<${style}>${text}</>` : text)).join(''),
  )
}

describe('what an agent says', () => {
  it('has headings, lists, quotes and rules without their signs', () => {
    expect(shown(['# Title\n\n- one\n  * two\n3. three\n> said\n\n---\n'])).toEqual([
      '<heading>Title</>',
      '',
      '<dim>• </>one',
      '  <dim>• </>two',
      '<dim>3. </>three',
      '<dim>> </><italic>said</>',
      '',
      `<dim>${'─'.repeat(40)}</>`,
    ])
  })

  it('has words in bold, in italics, as code, and links with where they lead', () => {
    expect(shown(['**b** *i* __b__ _i_ `c**d` ``a`b`` [t](http://x/y) ***both***'])).toEqual([
      '<bold>b</> <italic>i</> <bold>b</> <italic>i</> <code>c**d</> <code>a`b</> <link>t</><dim> (http://x/y)</> <bold italic>both</>',
    ])
  })

  it('keeps signs that mean nothing', () => {
    const text = '2 * 3 * 4, a_b_c, snake_case_name, **not closed, `nor this, [x] done, \\*star\\*'
    expect(shown([text], 100)).toEqual([text.replaceAll('\\', '')])
  })

  it('keeps signs also where no colours would show what they mean', () => {
    expect(shown(['# T\n**b** `c`'], 60, true)).toEqual(['# <heading>T</>', '**<bold>b</>** `<code>c</>`'])
  })

  it('has code with a bar at its left, as it stands, and nothing of its fences', () => {
    expect(shown(['```ts\nconst a = **b**\n\n  # c\n```\nafter'])).toEqual([
      '<dim>│ </><code>const a = **b**</>',
      '<dim>│ </>',
      '<dim>│ </><code>  # c</>',
      'after',
    ])
  })

  it('breaks between words, under the beginning of an item, and code anywhere', () => {
    expect(plain(all('- one two three four', 12))).toEqual(['• one two', '  three four'])
    expect(plain(all('```\nabcdefghij\n```', 8))).toEqual(['│ abcdef', '│ ghij'])
    expect(plain(all('abcdefghijkl mn', 8))).toEqual(['abcdefgh', 'ijkl mn'])
    expect(plain(all('語語語語 語', 6))).toEqual(['語語語', '語 語'])
  })

  it('shows of a line that goes on what is there, and lets go of what cannot change any more', () => {
    const markdown = new StreamingMarkdown(false)
    expect(plain(markdown.take('one two six **thr', 9))).toEqual(['one two'])
    expect(plain(markdown.open(9))).toEqual(['six **thr'])
    expect(markdown.take('ee** four', 9)).toEqual([
      [
        { text: 'six ', style: '' },
        { text: 'three', style: 'bold' },
      ],
    ])
    expect(plain(markdown.open(9))).toEqual(['four'])
  })

  it('holds a line back as long as a sign in it may find its other half', () => {
    const markdown = new StreamingMarkdown(false)
    expect(markdown.take('**one two three four', 9)).toEqual([])
    expect(markdown.take(' five** six', 9).length).toBeGreaterThan(0)
    expect(shown(['**one two three four', ' five** six'], 9)[0]).toBe('<bold>one two</>')
  })

  it('goes on in a window of another width without losing or repeating a word', () => {
    const markdown = new StreamingMarkdown(false)
    const lines = [...markdown.take('one two three four fi', 9), ...markdown.take('ve six', 20)]
    expect(plain([...lines, ...markdown.end(20)]).join(' ')).toBe('one two three four five six')
  })

  const word = fc.constantFrom(
    '***both***',
    '_i_',
    '__b__',
    '\\*',
    '1. ',
    '~~~\n',
    'averyveryverylongword',
    'one',
    '**two**',
    '`c d`',
    '*i*',
    '語',
    '**',
    '`',
    '_a',
    '[t](u)',
    '[',
    '- ',
    '# ',
    '\n',
    '\n\n',
    '```\n',
    '| a | b |',
    '> ',
    '😀',
  )
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '))

  it('looks the same, no matter in which pieces it comes, and fits the window', () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 5 })), (said, sizes) => {
        const pieces: string[] = []
        let at = 0
        for (const size of sizes) {
          pieces.push(said.slice(at, at + size))
          at += size
        }
        pieces.push(said.slice(at))
        expect(shown(pieces, 14)).toEqual(shown([said], 14))
        for (const line of all(said, 14))
          expect(textWidth(line.map(({ text }) => text).join(''))).toBeLessThanOrEqual(14)
      }),
    )
  })

  it('has no colour where there are none', () => {
    const lines = all('# T\n**b** `c`\n```\nx\n```', 20)
    expect(lines.map((line) => painted(line, 0)).join('\n')).not.toContain('\x1b')
    expect(painted(lines[0]!, 16)).toBe('\x1b[1;36mT\x1b[0m')
  })
})

function all(text: string, width: number): Line[] {
  const markdown = new StreamingMarkdown(false)
  return [...markdown.take(text, width), ...markdown.end(width)]
}
