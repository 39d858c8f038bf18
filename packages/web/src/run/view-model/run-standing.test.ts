import { hub, type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView } from '@farhand/protocol/runs/run-view'
import { runNowOf } from '@farhand/protocol/runs/sync-status'
import { describe, expect, it } from 'vitest'
import { standing } from '../../run-list/standing.ts'
import { StoryFold } from '../../story/story-fold.ts'
import { progress, stepNow } from './progress.ts'
import { runStanding, runTitle } from './run-standing.ts'
import { itemIndex, shownItems, shownWaiting } from './shown-items.ts'

const told = (...lines: Line[]) => {
  const fold = new StoryFold()
  for (const event of sampleLog(...lines)) fold.take(event)
  return fold.story
}
const begun: Line[] = [
  [web, '_posthog/user_message', { content: 'Mend it.\nAll of it.' }],
  [hub, '_posthog/session_start', { generation: 1 }],
  [hub, '_posthog/status', { status: 'active' }],
  [runner, '_posthog/ack', { for: '_posthog/user_message', id: 1 }],
]
const plan: Line = [
  runner,
  'session/update',
  {
    update: {
      sessionUpdate: 'plan',
      entries: [
        { content: 'look', status: 'completed' },
        { content: 'mend', status: 'in_progress' },
      ],
    },
  },
]
const ask: Line = [runner, '_posthog/agent_question', { questionId: 'qst_question1', question: 'Which?' }]
const over = (stopReason: string): Line => [runner, '_posthog/turn_complete', { messageId: 1, stopReason }]
const later: Line = [web, '_posthog/user_message', { content: 'and then' }]
const words = (...lines: Line[]) => runStanding(told(...lines)).words

describe('the status of a run', () => {
  it.each([
    ['Not started', []],
    ['Waiting for a sandbox', begun.slice(0, 1)],
    ['Working', begun],
    ['Needs you', [...begun, ask]],
    ['Done', [...begun, over('end_turn')]],
    ['Failed', [...begun, over('failed')]],
    ['Done · asleep', [...begun, over('end_turn'), [hub, '_posthog/status', { status: 'asleep' }]]],
  ] as [string, Line[]][])('%s', (expected, lines) => expect(words(...lines)).toBe(expected))

  it('a question of an agent that has ended does not need the user', () => {
    expect(words(...begun, ask, [hub, '_posthog/session_start', { generation: 2 }])).not.toContain(
      'Needs you',
    )
  })

  it('a turn is as old as its beginning, and not as old as the message that waited for it', () => {
    const second = [
      ...begun,
      later,
      over('end_turn'),
      [runner, '_posthog/ack', { for: '_posthog/user_message', id: 5 }] as Line,
    ]
    const { since } = runStanding(told(...second))
    expect(since).toBe(sampleLog(...second).at(-1)?.timestamp)
  })

  it('is the same in the list, for every state of the run', () => {
    const rewind: Line = [web, '_posthog/rewind', { to: 1 }]
    const undone: Line = [web, '_posthog/rewind', { to: 5 }]
    const forked: Line = [hub, '_posthog/forked', { run: 'run_another01', event: 5 }]
    const asleep: Line = [hub, '_posthog/status', { status: 'asleep' }]
    const active: Line = [hub, '_posthog/status', { status: 'active' }]
    const done = [...begun, over('end_turn')]
    const both = (...lines: Line[]) => {
      const events = sampleLog(...lines)
      const now = runNowOf(events.reduce(foldRunView, emptyRunView), events.length, true)
      const listed = { sandbox: 'auto', now }
      return [standing(listed).words, runStanding(told(...lines), listed).words]
    }
    expect(both(...done, rewind)).toEqual(['Ready', 'Ready'])
    expect(both(...done, rewind, undone)).toEqual(['Done', 'Done'])
    expect(both(...begun, over('failed'), rewind)).toEqual(['Ready', 'Ready'])
    const again = Array.from({ length: 60 }, (_, nth) => 6 + 3 * nth).flatMap((messageId): Line[] => [
      later,
      [runner, '_posthog/ack', { for: '_posthog/user_message', id: messageId }],
      [runner, '_posthog/turn_complete', { messageId, stopReason: 'end_turn' }],
    ])
    expect(both(...done, ...again, undone)).toEqual(['Done', 'Done'])
    expect(both(...done, forked, active)).toEqual(['Ready', 'Ready'])
    expect(both(...begun, over('limit'), asleep)).toEqual(Array(2).fill('Stopped at its limit · asleep'))
    expect(both(...done, [web, '_posthog/close', {}])).toEqual(['Closing', 'Closing'])
  })

  it('takes from the list that a runner is away, or that a device is waited for', () => {
    const { view, lastId } = told(...begun)
    const away = { sandbox: 'auto', now: runNowOf(view, lastId, false) }
    expect(runStanding(told(...begun), away)).toMatchObject({
      words: 'Waiting for its runner',
      isWorking: true,
    })
    expect(runStanding(told(begun[0]!), { sandbox: 'none', now: null }).words).toBe('Waiting for its device')
  })
})

describe('progress', () => {
  const of = (...lines: Line[]) => {
    const now = told(...lines)
    return progress(now, runStanding(now))
  }

  it('is there while something is under way, and not afterwards', () => {
    expect(of(...begun)).toMatchObject({ now: 'Working', done: 0 })
    expect(of(...begun, plan, over('end_turn'))).toBeNull()
  })

  it('counts the steps of this turn, and says which one it is', () => {
    expect(of(...begun, plan)).toMatchObject({ now: 'mend', done: 1, isAsking: false })
    expect(
      of(...begun, plan, over('end_turn'), later, [
        runner,
        '_posthog/ack',
        { for: '_posthog/user_message', id: 7 },
      ]),
    ).toMatchObject({ steps: [] })
  })

  it('says what the running tool does, and that it waits for an answer', () => {
    const tool: Line = [
      runner,
      'tool_call',
      { toolCallId: 'c', title: 'a.ts', kind: 'read', status: 'in_progress' },
    ]
    expect(of(...begun, plan, tool)?.now).toBe('Read: a.ts')
    expect(of(...begun, plan, tool, ask)).toMatchObject({ now: 'Waiting for your answer', isAsking: true })
  })
})

describe('the current step', () => {
  const at = (...statuses: ('pending' | 'in_progress' | 'completed')[]) =>
    stepNow(statuses.map((status) => ({ text: 'x', status })))
  it('is the one that runs, or else the next; once all are done it is the last', () => {
    expect(at('completed', 'in_progress', 'pending')).toBe(2)
    expect(at('completed', 'pending', 'pending')).toBe(2)
    expect(at('pending', 'pending')).toBe(1)
    expect(at('completed', 'completed')).toBe(2)
  })
})

describe('the timeline', () => {
  it('shows the first message though it waits, and later ones when they are begun', () => {
    expect(shownItems(told(begun[0]!)).map(({ kind }) => kind)).toEqual(['message'])
    expect(shownWaiting(told(begun[0]!))).toBe(1)
    // A second one stands above the field only.
    expect(shownItems(told(begun[0]!, later)).filter(({ kind }) => kind === 'message')).toHaveLength(1)
    const during = told(...begun, later)
    expect(shownWaiting(during)).toBeNull()
    expect(during.queue).toHaveLength(1)
    expect(shownItems(during).filter(({ kind }) => kind === 'message')).toHaveLength(1)
  })

  it('the address of an event leads to its item', () => {
    const { items } = told(
      ...begun,
      [runner, 'agent_message_chunk', { text: 'a' }],
      [runner, 'agent_message_chunk', { text: 'b' }],
    )
    const at = items.findIndex(({ kind }) => kind === 'words')
    expect(itemIndex(items, 5)).toBe(at)
    expect(itemIndex(items, 6)).toBe(at)
    expect(itemIndex(items, 1)).toBe(items.findIndex(({ id }) => id === 1))
    expect(itemIndex([], 1)).toBe(-1)
  })

  it('a run that is in no list gets its title from its first message', () => {
    expect(runTitle(undefined, told(...begun))).toBe('Mend it.')
    expect(runTitle('Mended', told(...begun))).toBe('Mended')
    expect(runTitle(undefined, told())).toBe('A run')
  })
})
