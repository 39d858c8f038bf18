import { describe, expect, it } from 'vitest'
import type { RunAction, UnsentAction } from '../outbox/actions.ts'
import type { AgentSide, MessageItem } from '../story/story.ts'
import { currentSettings } from './current-settings.ts'
import { waitingRows } from './waiting-rows.ts'

const message = (id: number, text: string): MessageItem => ({
  kind: 'message',
  id,
  at: '2026-01-01T10:00:00.000Z',
  by: { kind: 'web', id: 'w' },
  text,
  attachments: [],
  state: 'waiting',
  isSteering: false,
})
let nth = 0
const unsent = (
  action: RunAction,
  state: UnsentAction['state'] = 'waiting',
  why: string | null = null,
): UnsentAction => ({
  key: `k${nth++}`,
  at: '2026-01-01T10:00:00.000Z',
  action,
  state,
  why,
})
const say = (text: string): RunAction => ({ do: 'say', text, attachments: [], when: 'queue' })
const short = (rows: ReturnType<typeof waitingRows>) =>
  rows.map(({ text, messageId, note }) => [text, messageId, note])

describe('the waiting messages', () => {
  it('are those of the log first, and then those that the hub does not have', () => {
    expect(short(waitingRows([message(3, 'one'), message(5, 'two')], [unsent(say('three'))]))).toEqual([
      ['one', 3, null],
      ['two', 5, null],
      ['three', null, 'Saved here until the hub can be reached'],
    ])
  })

  it('tell messages for the running turn from those for after it', () => {
    const steering = { ...message(3, 'one'), isSteering: true }
    expect(short(waitingRows([steering, message(5, 'two')], []))).toEqual([
      ['one', 3, 'Sent as soon as the agent accepts it'],
      ['two', 5, null],
    ])
  })

  it('do not include a message that is shown above, unless it is being changed', () => {
    const above = (...changes: UnsentAction[]) =>
      waitingRows([message(3, 'one'), message(5, 'two')], changes, 3).map(({ isAbove }) => isAbove)
    expect(above()).toEqual([true, false])
    expect(above(unsent({ do: 'edit', messageId: 3, text: 'won' }, 'sending'))).toEqual([false, false])
    expect(above(unsent({ do: 'edit', messageId: 3, text: 'won' }, 'refused'))).toEqual([true, false])
  })

  it('show an unsent change as made, once, and allow no other change meanwhile', () => {
    const rows = waitingRows(
      [message(3, 'one')],
      [unsent({ do: 'edit', messageId: 3, text: 'won' }, 'sending')],
    )
    expect(short(rows)).toEqual([['won', null, 'Saving the change']])
  })

  it('show the message as it is when a change was refused, and why', () => {
    const refused = unsent({ do: 'edit', messageId: 3, text: 'won' }, 'refused', 'the run is closed')
    expect(short(waitingRows([message(3, 'one')], [refused]))).toEqual([
      ['one', null, 'Not accepted: the run is closed'],
    ])
  })

  it('show the new words for a message that the agent had begun with', () => {
    const late = unsent({ do: 'edit', messageId: 3, text: 'won' }, 'refused', 'it had begun')
    expect(short(waitingRows([], [late]))).toEqual([['won', null, 'Not accepted: it had begun']])
  })

  it('do not include answers, which are at their question, nor other actions unless they were refused', () => {
    const orders = [unsent({ do: 'cancel' }), unsent({ do: 'answer', questionId: 'q', answer: 1 }, 'refused')]
    expect(waitingRows([], orders)).toEqual([])
    expect(short(waitingRows([], [unsent({ do: 'cancel' }, 'refused', 'no')]))).toEqual([
      ['Stopping the agent', null, 'Not accepted: no'],
    ])
  })
})

describe('a mode or option', () => {
  const agent = {
    mode: 'code',
    options: [{ id: 'model', name: 'Model', value: 'small', choices: [] }],
  } as unknown as AgentSide
  const run = { agent, mode: 'interactive', policy: 'deny' } as const

  it('is the one that was chosen here last, before the agent has confirmed it', () => {
    const now = currentSettings(run, [
      unsent({ do: 'agent-mode', modeId: 'plan' }),
      unsent({ do: 'option', configId: 'model', value: 'large' }),
      unsent({ do: 'run-mode', mode: 'background' }),
    ])
    expect(now).toEqual({
      mode: 'background',
      policy: 'deny',
      agentMode: 'plan',
      options: new Map([['model', 'large']]),
    })
  })

  it('is the earlier one when the choice was refused', () => {
    expect(currentSettings(run, [unsent({ do: 'agent-mode', modeId: 'plan' }, 'refused')]).agentMode).toBe(
      'code',
    )
  })
})
