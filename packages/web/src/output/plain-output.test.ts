import { describe, expect, it } from 'vitest'
import { plainOutput } from './plain-output.ts'

describe('what a program wrote to a terminal', () => {
  it('has no colours, and a line that was overwritten is the last one', () => {
    expect(plainOutput('\u001b[31mFAIL\u001b[0m a\r\n10 %\r50 %\r100 %\nend\u0007')).toBe(
      'FAIL a\n100 %\nend',
    )
  })

  it('cannot hide anything behind the name of a link', () => {
    expect(plainOutput('\u001b]8;;https://evil.example\u0007text\u001b]8;;\u0007')).toBe('text')
  })
})
