import { describe, expect, it } from 'vitest'
import { diffInLines } from './diff-in-lines.ts'

const diff = (oldText: string | null, newText: string, path = '/w/a.txt') => ({
  type: 'diff',
  path,
  oldText,
  newText,
})
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('')

function shown(content: readonly unknown[], width = 40): string[] {
  return diffInLines(content, width).map((line) => line.map(({ text }) => text).join(''))
}

describe('what a tool changed in a file', () => {
  it('is shown with the numbers of its lines and a little of what is around', () => {
    const now = numbers(1, 20).replace('\n10\n', '\nten\n').replace('\n18\n', '\n')
    expect(shown([diff(numbers(1, 20), now)])).toEqual([
      '  a.txt +1 -2',
      '   8   8',
      '   9   9',
      '  10 - 10',
      '  10 + ten',
      '  11   11',
      '  12   12',
      '     ⋮ ',
      '  16   16',
      '  17   17',
      '  18 - 18',
      '  18   19',
      '  19   20',
    ])
  })

  it('is cut to what one reads in passing, and to the window', () => {
    const lines = shown([diff(null, `${'x'.repeat(50)}\n${numbers(2, 30)}`)], 20)
    expect(lines.slice(0, 2)).toEqual(['  a.txt +30 -0', `   1 + ${'x'.repeat(12)}…`])
    expect(lines.at(-1)).toBe('  … 14 more lines')
  })

  it('has nothing in it that a terminal would obey, and is nothing for what is no difference', () => {
    expect(shown([diff('', 'a\u001b[2Jb\n', '/w/\u001bx')]).join()).not.toContain('\u001b')
    expect(shown([{ type: 'content', content: { text: 'x' } }, diff('a\n', 'a\n'), 7])).toEqual([])
  })
})
