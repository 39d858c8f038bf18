import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { ShortStory } from './short-story.ts'

const text = 'x'.repeat(100_000)
const tool = (n: number): Line => [
  runner,
  'tool_call',
  {
    toolCallId: `c${n}`,
    title: `tool ${n}`,
    status: 'completed',
    rawInput: { text },
    rawOutput: { text },
    content: [{ type: 'content', content: { type: 'text', text } }],
  },
]
const words = (n: number): Line => [runner, 'agent_message_chunk', { text, messageId: `m${n % 3}` }]

it('the story of a run that says megabytes stays small, and keeps what a card shows', () => {
  const story = new ShortStory()
  const lines = Array.from({ length: 120 }, (_, n) => (n % 2 === 0 ? tool(n) : words(n)))
  const log = sampleLog([web, '_posthog/user_message', { content: 'do it' }], ...lines)
  for (const event of log.slice(0, 100)) story.take(event, () => {})
  expect(JSON.stringify(story.fold.draft.items).length).toBeLessThan(600_000)
  const titles = story.fold.story.items.flatMap((item) => (item.kind === 'tool' ? [item.title] : []))
  expect(titles.slice(0, 2)).toEqual(['tool 0', 'tool 2'])
})

it.each<[string, (n: number) => Line]>([
  ['messages', () => [web, '_posthog/user_message', { content: text }]],
  [
    'plans',
    () => [
      runner,
      'session/update',
      { update: { sessionUpdate: 'plan', entries: [{ content: text, status: 'pending', priority: 'low' }] } },
    ],
  ],
  ['notices', () => [runner, '_posthog/console', { level: 'info', message: text }]],
  ['titles', (n) => [runner, 'tool_call', { toolCallId: `c${n}`, title: text, status: 'pending' }]],
  ['tools', tool],
])('the story of a run with long %s stays small', (_, line) => {
  const story = new ShortStory()
  for (const event of sampleLog(...Array.from({ length: 100 }, (_, n) => line(n))))
    story.take(event, () => {})
  const { items, queue } = story.fold.draft
  expect(items.length + queue.length).toBeGreaterThan(0)
  expect(JSON.stringify([items, queue]).length).toBeLessThan(700_000)
})
