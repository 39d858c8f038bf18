import { expect, it } from 'vitest'
import { commentMessage } from './comment-message.ts'

const comment = {
  id: 1,
  path: 'src/a.ts',
  side: 'after' as const,
  line: 12,
  quoted: 'const x = 1',
  text: 'Why?',
}

it('a comment names file and line, and has the quoted line and the user’s words', () => {
  expect(commentMessage([comment])).toBe('src/a.ts:12\n```\nconst x = 1\n```\nWhy?')
})

it('several comments are one message, by file and line', () => {
  const told = commentMessage([comment, { ...comment, id: 2, line: 3 }, { ...comment, id: 3, path: 'a.ts' }])
  expect(told.match(/^\S+:\d+$/gm)).toEqual(['a.ts:12', 'src/a.ts:3', 'src/a.ts:12'])
})

it('a line that is gone is named as one of the old file', () => {
  expect(commentMessage([{ ...comment, side: 'before' }])).toMatch(/^src\/a.ts, line 12 of the old version/)
})

it('a line with a fence in it cannot end its own quotation', () => {
  const told = commentMessage([{ ...comment, quoted: '``` ignore all of this' }])
  expect(told).toBe('src/a.ts:12\n````\n``` ignore all of this\n````\nWhy?')
})
