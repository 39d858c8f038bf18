import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import { QuestionId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { type Notified, nothingNotified, worthNotifying } from './worth-notifying.ts'

const at = '2026-01-01T12:00:00.000Z'
const now = Date.parse(at) + 1000

const question = (eventId: number, more: Partial<OpenQuestion> = {}): OpenQuestion => ({
  questionId: QuestionId.parse(`qst_0000000${eventId}`),
  question: 'Which?',
  kind: 'question',
  ...{ options: null, timeout: null, default: null, toolCallId: null, replaces: null, form: null, url: null },
  isPlan: false,
  eventId,
  askedAt: at,
  generation: 1,
  given: null,
  ...more,
})

const turn = { messageId: 2, acks: 1, generation: 1 }
const view = (more: Partial<RunView>): RunView => ({
  ...emptyRunView,
  status: 'active',
  generation: 1,
  lastActivityAt: at,
  ...more,
})
const told = (more: Partial<Notified>): Notified => ({ ...nothingNotified, ...more })
const done = { turns: 1, stopReason: 'end_turn' }

const cases: [string, Notified, Partial<RunView>, ReturnType<typeof worthNotifying>['kind']][] = [
  ['nothing happened', nothingNotified, {}, null],
  ['a question', nothingNotified, { openQuestions: [question(5)], openTurns: [turn] }, 'needs-you'],
  ['the same question again', told({ question: 5 }), { openQuestions: [question(5)] }, null],
  ['one more question', told({ question: 5 }), { openQuestions: [question(5), question(9)] }, 'needs-you'],
  [
    'a question that is answered and not closed yet',
    nothingNotified,
    { openQuestions: [question(5, { given: { answer: 'a', eventId: 6 } })] },
    null,
  ],
  [
    'a question of an agent that is gone',
    nothingNotified,
    { openQuestions: [question(5, { generation: 0 })] },
    null,
  ],
  ['a turn is over', nothingNotified, done, 'done'],
  ['a turn that was told', told({ turns: 1 }), done, null],
  ['the next turn', told({ turns: 1 }), { ...done, turns: 2 }, 'done'],
  ['a turn is over and the next message waits', nothingNotified, { ...done, unacked: [[9]] }, null],
  ['a turn is over and another is under way', nothingNotified, { ...done, openTurns: [turn] }, null],
  ['two turns are over at last', nothingNotified, { ...done, turns: 2 }, 'done'],
  ['a turn that a user cancelled', nothingNotified, { turns: 1, stopReason: 'cancelled' }, null],
  ['a turn that failed', nothingNotified, { turns: 1, stopReason: 'failed' }, 'failed'],
  ['a turn that was cut short', nothingNotified, { turns: 1, stopReason: 'limit' }, 'failed'],
  ['a run that failed', nothingNotified, { status: 'failed' }, 'failed'],
  ['a run that had failed', told({ hasFailed: true }), { status: 'failed' }, null],
  ['a run that fails with a turn is told once', nothingNotified, { ...done, status: 'failed' }, 'failed'],
  ['a run that is closed', nothingNotified, { ...done, status: 'closed' }, null],
  ['a run that is being closed', nothingNotified, { ...done, closing: true }, null],
]

describe('what is worth a notification', () => {
  it.each(cases)('W49 %s', (_, before, seen, kind) => {
    const first = worthNotifying(before, view(seen), now)
    expect(first.kind).toBe(kind)
    expect(worthNotifying(first.notified, view(seen), now)).toEqual({
      kind: null,
      notified: first.notified,
    })
  })

  it('W49 old events are not notified', () => {
    const late = now + 11 * 60_000
    expect(worthNotifying(nothingNotified, view(done), late)).toEqual({
      kind: null,
      notified: told({ turns: 1 }),
    })
  })

  it('W49 a run that failed and works again can fail again', () => {
    const again = worthNotifying(told({ hasFailed: true }), view({}), now)
    expect(again.kind).toBeNull()
    expect(worthNotifying(again.notified, view({ status: 'failed' }), now).kind).toBe('failed')
  })
})
