import { ProjectId, RunId, TaskId } from '@farhand/protocol/ids'
import { emptyRunView } from '@farhand/protocol/run-view'
import { describe, expect, it } from 'vitest'
import type { KeptDeed } from './deed-box.ts'
import type { Deed } from './deeds.ts'
import { stillMeant } from './still-meant.ts'

const at = {
  project: ProjectId.parse('prj_meant001'),
  task: TaskId.parse('tsk_meant001'),
  run: RunId.parse('run_meant001'),
}
const kept = (deed: Deed): KeptDeed => ({
  key: 'k',
  at,
  writtenAt: new Date(0).toISOString(),
  deed,
  turns: [7],
  refused: null,
})
const turn = (messageId: number) => ({ messageId, acks: 1, generation: 1 })
const later = 3600_000

describe('a deed that waited', () => {
  it('stops the turn that it was meant for, and never a later one', () => {
    const cancel = kept({ do: 'cancel' })
    const during = { ...emptyRunView, openTurns: [turn(7)] }
    const after = { ...emptyRunView, openTurns: [turn(9)] }
    expect(stillMeant(cancel, { view: during, isLive: true }, later)).toBe('send')
    expect(stillMeant(cancel, { view: after, isLive: true }, later)).toBe('drop')
  })

  it('is not judged by what this page last knew', () => {
    const during = { ...emptyRunView, openTurns: [turn(7)] }
    expect(stillMeant(kept({ do: 'cancel' }), { view: during, isLive: false }, later)).toBe('wait')
  })

  it('stops at once when somebody has just said so', () => {
    expect(stillMeant(kept({ do: 'cancel' }), { view: emptyRunView, isLive: false }, 500)).toBe('send')
  })

  it('is not sent as an answer to what is answered', () => {
    const answer = kept({ do: 'answer', questionId: 'qst_meant001', answer: 'yes' })
    expect(stillMeant(answer, { view: emptyRunView, isLive: true }, later)).toBe('drop')
    expect(stillMeant(answer, { view: emptyRunView, isLive: false }, later)).toBe('send')
  })

  it('is sent, however old, if it is a message', () => {
    const say = kept({ do: 'say', text: 'go on', attachments: [], when: 'queue' })
    expect(stillMeant(say, { view: emptyRunView, isLive: true }, later)).toBe('send')
  })
})
