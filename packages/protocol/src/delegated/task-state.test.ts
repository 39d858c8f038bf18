import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hub, type Line, runner, sampleLog, web } from '../events/sample-log.ts'
import { foldRunView } from '../runs/fold-run-view.ts'
import { emptyRunView } from '../runs/run-view.ts'
import { DelegatedStatus } from './delegated-tasks.ts'
import { allowedActions, isTaskOver, mayFollow } from './task-machine.ts'
import { foldTaskState, newTaskState } from './task-state.ts'

const says = (content = 'do it'): Line => [web, '_posthog/user_message', { content }]
const acks = (id: number): Line => [runner, '_posthog/ack', { for: '_posthog/user_message', id }]
const ends = (messageId: number, stopReason = 'end_turn'): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason },
]
const pauses: Line = [web, '_posthog/pause', {}]
const resumes: Line = [web, '_posthog/resume', {}]
const cancels: Line = [web, '_posthog/cancel', {}]

/** The state after each event. */
function statesOf(...lines: Line[]) {
  let view = emptyRunView
  let state = newTaskState
  return sampleLog(...lines).map((event) => {
    const before = view
    view = foldRunView(view, event)
    state = foldTaskState(state, event, before, view)
    return state
  })
}
const statuses = (...lines: Line[]) => statesOf(...lines).map(({ status }) => status)

describe('the state of a delegated task', () => {
  it('W83 is submitted until the agent begins, then working, and completed with the turn', () => {
    expect(statuses(says(), acks(1), ends(1))).toEqual(['submitted', 'working', 'completed'])
  })

  it('W83 is completed only when no message waits for another turn', () => {
    const states = statuses(says(), acks(1), says('more'), ends(1), acks(3), ends(3))
    expect(states.slice(3)).toEqual(['working', 'working', 'completed'])
  })

  it('W83 fails with a turn that ends badly, and with a run that cannot start', () => {
    expect(statuses(says(), acks(1), ends(1, 'refusal')).at(-1)).toBe('failed')
    expect(statuses(says(), [hub, '_posthog/status', { status: 'failed', reason: 'no' }]).at(-1)).toBe(
      'failed',
    )
  })

  it('W83 pauses with its turn ended, and works again with the next message', () => {
    const lines = [says(), acks(1), pauses, cancels, ends(1, 'cancelled'), says('go on'), resumes, acks(6)]
    expect(statuses(...lines).slice(2)).toEqual([
      'paused',
      'paused',
      'paused',
      'paused',
      'working',
      'working',
    ])
  })

  it('W83 goes on although it was resumed before the turn had ended that the pause cancelled', () => {
    const lines = [
      says(),
      acks(1),
      pauses,
      cancels,
      says('go on'),
      resumes,
      ends(1, 'cancelled'),
      acks(5),
      ends(5),
    ]
    expect(statuses(...lines).slice(5)).toEqual(['working', 'working', 'working', 'completed'])
  })

  it('W83 is completed if the agent was done before it heard of the pause', () => {
    expect(statuses(says(), acks(1), pauses, cancels, ends(1)).at(-1)).toBe('completed')
  })

  it('W83 is canceled when its turn is stopped, its only message is taken back, or its run is closed', () => {
    expect(statuses(says(), acks(1), cancels, ends(1, 'cancelled')).at(-1)).toBe('canceled')
    expect(statuses(says(), [web, '_posthog/message_edit', { messageId: 1, content: null }]).at(-1)).toBe(
      'canceled',
    )
    expect(statuses(says(), acks(1), [web, '_posthog/close', {}]).at(-1)).toBe('canceled')
  })

  it('W83 stays over whatever happens in its run later', () => {
    const states = statesOf(says(), acks(1), ends(1), says('another thing'), acks(4), ends(4, 'failed'))
    expect(new Set(states.slice(2))).toEqual(new Set([states[2]]))
    expect(states[2]).toMatchObject({ status: 'completed', ended: { seq: 3 } })
  })

  it('W83 only goes from one state to another as the table allows, in any order of events', () => {
    const any = fc.oneof(
      fc.constant(says()),
      fc.integer({ min: 1, max: 30 }).map(acks),
      fc
        .tuple(
          fc.integer({ min: 1, max: 30 }),
          fc.constantFrom('end_turn', 'cancelled', 'failed', 'interrupted'),
        )
        .map(([id, reason]) => ends(id, reason)),
      fc.constantFrom(pauses, resumes, cancels),
      fc.constantFrom<Line>(
        [web, '_posthog/close', {}],
        [hub, '_posthog/session_close', {}],
        [hub, '_posthog/status', { status: 'queued' }],
        [hub, '_posthog/status', { status: 'failed' }],
      ),
    )
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), (lines) => {
        const states = ['submitted' as const, ...statuses(says(), ...lines)]
        for (const [at, to] of states.entries()) {
          const from = states[at - 1] ?? to
          expect(from === to || mayFollow(from, to), `${from} -> ${to}`).toBe(true)
        }
      }),
    )
  })

  it('W83 allows nothing more once it is over', () => {
    for (const status of DelegatedStatus.options)
      expect(allowedActions(status).length === 0, status).toBe(isTaskOver(status))
  })
})
