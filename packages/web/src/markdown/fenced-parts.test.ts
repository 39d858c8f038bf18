import { describe, expect, it } from 'vitest'
import { fencedParts } from './fenced-parts.ts'

describe('a text that a user typed', () => {
  it('is words, and code inside a fence', () => {
    expect(fencedParts('a.ts:2\n```\n  return a\n```\nWhy?')).toEqual([
      { is: 'words', text: 'a.ts:2' },
      { is: 'code', text: '  return a', lang: '' },
      { is: 'words', text: 'Why?' },
    ])
    expect(fencedParts('```ts\n1\n\n2\n```')).toEqual([{ is: 'code', text: '1\n\n2', lang: 'ts' }])
  })

  it('is words only, each as it was typed, where no fence is closed', () => {
    const typed = 'one\n\n  *two*\n```\nthree'
    expect(fencedParts(typed)).toEqual([{ is: 'words', text: typed }])
    expect(fencedParts('in ```one``` line')).toEqual([{ is: 'words', text: 'in ```one``` line' }])
  })

  it('is code up to a fence as long as the first, even if the code holds a shorter one', () => {
    expect(fencedParts('````\n```\nstill code\n````')).toEqual([
      { is: 'code', text: '```\nstill code', lang: '' },
    ])
  })

  it('is read in one go though it holds many fences that nothing closes', () => {
    const typed = Array.from({ length: 50_000 }, (_, at) => `${'`'.repeat(3 + (at % 40))}x${at}`).join('\n')
    expect(fencedParts(typed).map(({ text }) => text.length)).toEqual([typed.length])
  })
})
