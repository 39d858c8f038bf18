import { emptyRunView } from '@farhand/protocol/runs/run-view'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import type { RunAction } from './actions.ts'
import { decideAction } from './decide-action.ts'
import type { PendingAction } from './outbox.ts'

const at = {
  project: ProjectId.parse('prj_meant001'),
  task: TaskId.parse('tsk_meant001'),
  run: RunId.parse('run_meant001'),
}
const pending = (action: RunAction): PendingAction => ({
  key: 'k',
  at,
  writtenAt: new Date(0).toISOString(),
  action,
  turns: [7],
  refused: null,
})
const turn = (messageId: number) => ({ messageId, acks: 1, generation: 1 })
const later = 3600_000

describe('an action that waited', () => {
  it('stops the turn that it was meant for, and never a later one', () => {
    const cancel = pending({ do: 'cancel' })
    const during = { ...emptyRunView, openTurns: [turn(7)] }
    const after = { ...emptyRunView, openTurns: [turn(9)] }
    expect(decideAction(cancel, { view: during, isSure: true }, later)).toBe('send')
    expect(decideAction(cancel, { view: after, isSure: true }, later)).toBe('drop')
  })

  it('is not decided by old knowledge of this page', () => {
    const during = { ...emptyRunView, openTurns: [turn(7)] }
    expect(decideAction(pending({ do: 'cancel' }), { view: during, isSure: false }, later)).toBe('wait')
  })

  it('is asked about when it waited for more than a day, until its writer says that it is still meant', () => {
    const said = pending({ do: 'say', text: 'dig', attachments: [], when: 'queue' })
    const known = { view: emptyRunView, isSure: true }
    const months = 90 * 24 * later
    expect(decideAction(said, known, 5 * later)).toBe('send')
    expect(decideAction(said, known, months)).toBe('ask')
    expect(decideAction(pending({ do: 'close' }), known, months)).toBe('ask')
    expect(decideAction({ ...said, agreedAt: new Date(months).toISOString() }, known, months + 5)).toBe(
      'send',
    )
  })

  it('is not called unsent before the log was read to its end: the hub may have it, and only its answer was lost', () => {
    const unsure = { view: emptyRunView, isSure: false }
    const months = 90 * 24 * later
    const said = pending({ do: 'say', text: 'dig', attachments: [], when: 'queue' })
    expect(decideAction(said, unsure, months)).toBe('ask-later')
    const answer = pending({ do: 'answer', questionId: 'qst_meant001', answer: 'yes' })
    expect(decideAction(answer, unsure, months)).toBe('ask-later')
  })

  it('stops at once when the user has just asked for it', () => {
    expect(decideAction(pending({ do: 'cancel' }), { view: emptyRunView, isSure: false }, 500)).toBe('send')
  })

  it('is not sent as an answer to an answered question', () => {
    const answer = pending({ do: 'answer', questionId: 'qst_meant001', answer: 'yes' })
    expect(decideAction(answer, { view: emptyRunView, isSure: true }, later)).toBe('drop')
    expect(decideAction(answer, { view: emptyRunView, isSure: false }, later)).toBe('send')
  })

  it('is not sent into a turn if the agent has begun with that message meanwhile', () => {
    const steer = pending({ do: 'steer', messageId: 3, text: 'now', attachments: [] })
    const waiting = { ...emptyRunView, unacked: [[3]] }
    expect(decideAction(steer, { view: waiting, isSure: true }, later)).toBe('send')
    expect(decideAction(steer, { view: emptyRunView, isSure: true }, later)).toBe('drop')
    expect(decideAction(steer, { view: waiting, isSure: false }, later)).toBe('wait')
    expect(decideAction(steer, { view: waiting, isSure: false }, 500)).toBe('send')
  })

  it('is not lost if it was new words for a message that the agent has begun with', () => {
    const edit = pending({ do: 'edit', messageId: 3, text: 'better' })
    expect(decideAction(edit, { view: emptyRunView, isSure: true }, later)).toBe('late')
  })

  it('does not count as new because a clock was set back', () => {
    const cancel = { ...pending({ do: 'cancel' }), writtenAt: new Date(later).toISOString() }
    expect(decideAction(cancel, { view: emptyRunView, isSure: false }, 0)).toBe('wait')
  })

  it('is sent, however old, if it is a message', () => {
    const say = pending({ do: 'say', text: 'go on', attachments: [], when: 'queue' })
    expect(decideAction(say, { view: emptyRunView, isSure: true }, later)).toBe('send')
  })
})
