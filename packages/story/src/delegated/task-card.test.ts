import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { StoryFold } from '../fold/story-fold.ts'
import { elapsedMs, leftMs, percentOf, taskCard } from './task-card.ts'

const begin: Line[] = [
  [web, '_posthog/user_message', { content: 'do it' }],
  [runner, '_posthog/ack', { for: '_posthog/user_message', id: 1 }],
]
const plan = (...statuses: string[]): Line => [
  runner,
  'session/update',
  {
    update: {
      sessionUpdate: 'plan',
      entries: statuses.map((status, at) => ({ content: `step ${at + 1}`, status })),
    },
  },
]
const tool = (id: string, status: string): Line => [
  runner,
  'tool_call',
  { toolCallId: id, title: `tool ${id}`, kind: 'execute', status },
]
const end: Line = [runner, '_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' }]

function cardOf(...lines: Line[]) {
  const fold = new StoryFold()
  for (const event of sampleLog(...begin, ...lines)) fold.take(event)
  return taskCard(fold.story)
}

describe('the card of a delegated task', () => {
  it('has the steps of the plan, done, running and pending, with its share', () => {
    const card = cardOf(plan('completed', 'in_progress', 'pending', 'pending'))
    expect(card.steps.map(({ state }) => state)).toEqual(['done', 'running', 'pending', 'pending'])
    expect(card.progress).toEqual({ phase: 'plan', completed: 1, total: 4, current: 'step 2' })
    expect(percentOf(card.progress)).toBe(25)
  })

  it('has the newest tools as its steps when the agent made no plan, and no percentage', () => {
    const tools = [1, 2, 3, 4, 5, 6, 7].map((n) => tool(`${n}`, 'completed'))
    const card = cardOf(...tools, tool('8', 'in_progress'))
    expect(card.steps.map(({ text, state }) => [text, state])).toEqual([
      ...[3, 4, 5, 6, 7].map((n) => [`tool ${n}`, 'done']),
      ['tool 8', 'running'],
    ])
    expect(card.earlier).toBe(2)
    expect(percentOf(card.progress)).toBe(null)
    expect(card.progress.current).toBe('Run: tool 8')
  })

  it('runs nothing any more once the task is over, and does not change with what the run does later', () => {
    const lines = [plan('completed', 'in_progress'), end]
    const card = cardOf(...lines)
    expect(card.status).toBe('completed')
    expect(card.steps.map(({ state }) => state)).toEqual(['done', 'pending'])
    expect(
      cardOf(...lines, [web, '_posthog/user_message', { content: 'more' }], tool('9', 'completed')),
    ).toEqual(card)
  })

  it('estimates the rest of a plan from the pace so far, and only while the agent works', () => {
    const working = cardOf(plan('completed', 'completed', 'in_progress'))
    const now = Date.parse(working.startedAt!) + 10_000
    expect(elapsedMs(working, now)).toBe(10_000)
    expect(leftMs(working, now)).toBe(5000)
    expect(leftMs(cardOf(plan('pending', 'pending')), now)).toBe(null)
    expect(leftMs(cardOf(plan('completed', 'pending'), end), now)).toBe(null)
  })
})
