import { describe, expect, it } from 'vitest'
import { plainOutput } from '../../output/plain-output.ts'
import type { RewindTo } from '../../story/story.ts'
import { durationInWords } from '../../time/duration-in-words.ts'
import { markInWords } from './mark-in-words.ts'
import { turnEndInWords } from './turn-end-in-words.ts'
import { contextInWords, costInWords, usageInWords } from './usage-in-words.ts'

describe('a duration in words', () => {
  it.each([
    [-5, '<0.1 s'],
    [49, '<0.1 s'],
    [50, '0.1 s'],
    [420, '0.4 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_600, '1 min'],
    [185_000, '3 min 5 s'],
    [3_600_000, '1 h'],
    [7_800_000, '2 h 10 min'],
  ])('%d ms', (ms, words) => expect(durationInWords(ms)).toBe(words))
})

describe('the used tokens and cost', () => {
  const none = { inputTokens: null, outputTokens: null, context: null, costUsd: null }

  it('are not shown if the agent reports none', () => {
    expect(usageInWords(none)).toEqual([])
    expect(contextInWords(none)).toBeNull()
  })

  it('are shown as short as possible', () => {
    expect(usageInWords({ ...none, inputTokens: 18_200, outputTokens: 1_450, costUsd: 0.034 })).toEqual([
      '20k tokens',
      '$0.03',
    ])
    expect(usageInWords({ ...none, inputTokens: 999_600 })).toEqual(['1.0M tokens'])
    expect(usageInWords({ ...none, outputTokens: 1_240 })).toEqual(['1.2k tokens'])
    expect(costInWords(0.004)).toBe('under $0.01')
    expect(contextInWords({ ...none, context: { used: 300, size: 200 } })).toContain('100 %')
  })
})

describe('the terminal output of a program', () => {
  it('has no colours, and a line that was overwritten is the last one', () => {
    expect(plainOutput('\u001b[31mFAIL\u001b[0m a\r\n10 %\r50 %\r100 %\nend\u0007')).toBe(
      'FAIL a\n100 %\nend',
    )
  })

  it('cannot hide anything behind the name of a link', () => {
    expect(plainOutput('\u001b]8;;https://evil.example\u0007text\u001b]8;;\u0007')).toBe('text')
  })
})

describe('marks', () => {
  it('a sandbox that is being made says so until it is there', () => {
    const phase = { is: 'phase', phase: 'provisioning', ms: null, error: null } as const
    expect(markInWords({ ...phase, state: 'running' })).toMatchObject({ isUnderWay: true })
    expect(markInWords({ ...phase, state: 'done', ms: 812 }).words).toBe('Sandbox ready after 0.8 s')
    expect(markInWords({ ...phase, state: 'failed', error: 'no room' })).toMatchObject({
      tone: 'bad',
      more: 'no room',
    })
  })

  it('files that could not be brought back are named', () => {
    const back = markInWords({ is: 'restored', files: 1, missing: ['a', 'b'], ms: 1200 })
    expect(back).toMatchObject({
      words: 'Workspace restored: 1 file, in 1.2 s',
      tone: 'warn',
      more: 'missing: a, b',
    })
  })

  it('a rewind says in words where it went, however long they are', () => {
    const to = (where: RewindTo) => markInWords({ is: 'rewind', to: 12, where, before: 11, taken: [] }).words
    expect(to({ is: 'before', said: ' write greet.js\nwith care' })).toBe(
      'Rewound to before “write greet.js”',
    )
    expect(to({ is: 'turn', said: 'a'.repeat(61) })).toBe(`Rewound into the turn of “${'a'.repeat(59)}…”`)
    expect(to({ is: 'forward', said: '' })).toBe('Moved forward to after a message')
    expect(to({ is: 'checkpoint', number: 2 })).toBe('Rewound to checkpoint 2')
  })

  it('a turn that ended for an unknown reason is shown with that reason', () => {
    expect(turnEndInWords({ stopReason: 'constructor' }).words).toBe('Ended: constructor')
  })
})
