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
  expect(JSON.stringify(story.fold.draft.items).length).toBeLessThan(2_000_000)
  const titles = story.fold.story.items.flatMap((item) => (item.kind === 'tool' ? [item.title] : []))
  expect(titles.slice(0, 2)).toEqual(['tool 0', 'tool 2'])
})
