import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { confirmationStep } from './confirmation.ts'

const some = { count: 20, some: [WorkspacePath.parse('a')] }
const vanished = { is: 'vanished', gone: some, of: 30, before: 0, all: false } as const
const moved = { is: 'head-moved', changes: some } as const

/** Risky changes with only these properties. */
function standing(now: {
  pauseMs?: number
  graceMs?: number
  isUnderWay?: boolean
  question?: typeof vanished | typeof moved
}) {
  const { question = null, ...rest } = now
  return { pauseMs: 0, graceMs: 0, isUnderWay: false, ...rest, question: () => question }
}

describe('a question about risky changes', () => {
  it('S13 the user is asked about missing files, once they have had time to turn up again', () => {
    expect(confirmationStep(standing({ question: vanished, graceMs: 400 }), true)).toEqual({
      ask: null,
      pauseMs: 400,
      holdsDeletions: true,
      isEarly: false,
    })
    expect(confirmationStep(standing({ question: vanished }), true)).toEqual({ ask: vanished })
  })

  it('S13 the user is not asked while some of the deletions are still on their way, and the others wait', () => {
    const about = confirmationStep(standing({ question: vanished, isUnderWay: true }), true)
    expect(about).toEqual({ ask: null, pauseMs: 0, holdsDeletions: true, isEarly: false })
  })

  it('a moved HEAD is asked about at once, even if files are on their way', () => {
    const about = confirmationStep(standing({ question: moved, graceMs: 400, isUnderWay: true }), true)
    expect(about).toEqual({ ask: moved })
  })

  it('while deletions still come they are counted, and the user is not asked', () => {
    const about = confirmationStep(standing({ question: vanished, pauseMs: 90 }), true)
    expect(about).toEqual({ ask: null, pauseMs: 90, holdsDeletions: true, isEarly: true })
  })

  it('before the whole disk has been scanned nothing is deleted, and the user is not asked', () => {
    const about = confirmationStep(standing({ question: vanished }), false)
    expect(about).toEqual({ ask: null, pauseMs: 0, holdsDeletions: true, isEarly: true })
  })

  it('without a question all changes are sent', () => {
    expect(confirmationStep(standing({}), true)).toEqual({
      ask: null,
      pauseMs: 0,
      holdsDeletions: false,
      isEarly: false,
    })
  })
})
