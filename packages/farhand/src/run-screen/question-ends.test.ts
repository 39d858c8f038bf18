import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { QuestionEnds } from './question-ends.ts'

const questionId = 'qst_12345678'
const options = [
  { optionId: 'yes-1', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no-1', name: 'Reject', kind: 'reject_once' },
]
const web: SeenEvent['by'] = { kind: 'web', id: 'usr_1' }

function asked(isShown: boolean): QuestionEnds {
  const ends = new QuestionEnds()
  ends.asked({ questionId, question: 'Run `ls`?\nin /tmp', kind: 'permission', options })
  if (isShown) ends.shown(questionId)
  return ends
}

describe('the end of a question', () => {
  it('names the answer that somebody gave elsewhere, and who it was if that is known', () => {
    const ends = asked(true)
    ends.answered({ questionId, answer: 'yes-1', by: 'Ann' }, web)
    // Too late, and without effect.
    ends.answered({ questionId, answer: 'no-1', by: 'Bob' }, web)
    expect(ends.closed({ questionId, how: 'answered' })).toEqual(['  Answered elsewhere: Allow (Ann)'])
    const unnamed = asked(true)
    unnamed.answered({ questionId, answer: 'no-1' }, web)
    expect(unnamed.closed({ questionId, how: 'answered' })).toEqual(['  Answered elsewhere: Reject'])
  })

  it('is not told to whoever gave the answer, unless another one came first', () => {
    const mine = asked(true)
    mine.answering(questionId, 'yes-1')
    mine.answered({ questionId, answer: 'yes-1' }, web)
    expect(mine.closed({ questionId, how: 'answered' })).toEqual([])
    const late = asked(true)
    late.answering(questionId, 'yes-1')
    late.answered({ questionId, answer: 'no-1' }, web)
    expect(late.closed({ questionId, how: 'answered' })).toEqual(['  Answered elsewhere: Reject'])
  })

  it('says what was asked where that was not seen', () => {
    const ends = asked(false)
    ends.answered({ questionId, answer: { a: 1 } }, { kind: 'channel', id: 'C1' })
    expect(ends.closed({ questionId, how: 'answered' })).toEqual([
      '? Run `ls`?',
      '  Answered: {"a":1} (a chat (C1))',
    ])
  })

  it.each([
    [{ how: 'answered', answer: 'no-1', by: 'policy:deny', why: 'Denied.' }, '  Denied. (Reject)'],
    [{ how: 'expired', answer: null, by: 'question', why: 'Nobody answered.' }, '  Nobody answered.'],
    [{ how: 'expired', answer: 'no-1', by: 'question' }, '  Ended by question: Reject.'],
    [{ how: 'cancelled' }, '  No longer asked (cancelled).'],
  ])('that no person gave it says why: %j', (closed, line) => {
    expect(asked(true).closed({ questionId, ...closed })).toEqual([line])
  })
})
