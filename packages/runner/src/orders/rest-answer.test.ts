import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import { describe, expect, it } from 'vitest'
import { restAnswer } from './rest-answer.ts'

const idle = { turn: false, setup: false, commands: false, files: false }
const asked = (more: Partial<RunView> = {}): RunView => ({
  ...emptyRunView,
  status: 'active',
  rest: { request: 9, askedAt: '', rests: null, answeredAt: null },
  ...more,
})

describe('W37 a runner that is asked to rest', () => {
  it('does so with nothing to do, and answers once', () => {
    expect(restAnswer(asked(), 0, idle)).toEqual({ for: 9, rests: true })
    expect(restAnswer(asked(), 9, idle)).toBeNull()
    expect(restAnswer({ ...asked(), rest: null }, 0, idle)).toBeNull()
  })

  it('says why not while there is something to do', () => {
    const whys = [
      restAnswer(asked(), 0, { ...idle, turn: true }),
      restAnswer(asked({ openTurns: [{ messageId: 2, acks: 1, generation: 1 }] }), 0, idle),
      restAnswer(asked({ openQuestions: [{}] as RunView['openQuestions'] }), 0, idle),
      restAnswer(asked({ unacked: [[3]] }), 0, idle),
      restAnswer(asked(), 0, { ...idle, commands: true }),
      restAnswer(asked(), 0, { ...idle, files: true }),
      restAnswer(asked(), 0, { ...idle, setup: true }),
    ]
    for (const why of whys) expect(why).toEqual({ for: 9, rests: false, reason: expect.any(String) })
  })

  it('leaves to the next one what came after the request, and what a pause holds', () => {
    expect(restAnswer(asked({ unacked: [[10]] }), 0, idle)).toMatchObject({ rests: true })
    expect(restAnswer(asked({ unacked: [[3]], status: 'paused' }), 0, idle)).toMatchObject({ rests: true })
  })
})
