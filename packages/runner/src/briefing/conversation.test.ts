import { hub, type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import { expect, it } from 'vitest'
import { Conversation } from './conversation.ts'

const turn = (messageId: number, text: string): Line[] => [
  [web, '_posthog/user_message', { content: `please ${text}` }],
  [runner, '_posthog/ack', { for: 'user_message', id: messageId }],
  [runner, 'agent_message_chunk', { text: `done ${text}` }],
  [runner, '_posthog/turn_complete', { messageId, stopReason: 'end_turn' }],
]
const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]

/** What the runner has read of a log: all but the words of its own that are not read back. */
function heardOf(events: readonly StoredEvent[]) {
  let reads = 0
  const conversation = new Conversation(async function* () {
    reads += 1
    yield* events
  })
  for (const event of events)
    if (event.notification.method !== 'agent_message_chunk') conversation.take(event)
  const text = async () => (await conversation.briefing()).text({ messageId: 0, isAgain: false })
  return { conversation, text, reads: () => reads }
}

const told = (text: string) => ['one', 'two', 'three'].filter((word) => text.includes(`please ${word}`))

it('W39 an agent is told only what was said up to the event, and what was said since', async () => {
  const events = sampleLog(start, ...turn(2, 'one'), ...turn(6, 'two'), rewind(5), ...turn(11, 'three'))
  const { text, reads } = heardOf(events)
  expect(told(await text())).toEqual(['one', 'three'])
  expect(await text()).toContain('done three')
  expect(await text()).not.toContain('done two')
  expect(reads(), 'it is made once').toBe(1)
})

it('W39 a rewind to the event before another one brings back what that had taken away', async () => {
  const lines = [start, ...turn(2, 'one'), ...turn(6, 'two'), rewind(5), ...turn(11, 'three'), rewind(9)]
  expect(told(await heardOf(sampleLog(...lines)).text())).toEqual(['one', 'two'])
})

it('W39 a message that waited across a rewind is told when it is begun', async () => {
  const waiting: Line = [web, '_posthog/user_message', { content: 'please two' }]
  const lines: Line[] = [start, ...turn(2, 'one'), waiting, rewind(1)]
  lines.push([runner, '_posthog/ack', { for: 'user_message', id: 6 }])
  expect(told(await heardOf(sampleLog(...lines)).text())).toEqual(['two'])
})

it('W39 the last words of a turn that the rewind ended are not told', async () => {
  const lines: Line[] = [start, ...turn(2, 'one'), ...turn(6, 'two').slice(0, 2), rewind(5)]
  lines.push([runner, 'agent_message_chunk', { text: 'done two' }])
  lines.push(
    [runner, '_posthog/turn_complete', { messageId: 6, stopReason: 'cancelled' }],
    ...turn(11, 'three'),
  )
  const text = await heardOf(sampleLog(...lines)).text()
  expect(told(text)).toEqual(['one', 'three'])
  expect(text).not.toContain('done two')
})

it('W39 what comes while the log is read again is not lost', async () => {
  const events = sampleLog(start, ...turn(2, 'one'), rewind(1), ...turn(7, 'two'))
  let conversation: Conversation
  conversation = new Conversation(async function* () {
    yield* events.slice(0, 6)
    for (const event of events.slice(6)) conversation.take(event)
    conversation.takeOwn({ jsonrpc: '2.0', method: 'agent_message_chunk', params: { text: 'my own' } })
    yield* events.slice(6)
  })
  for (const event of events.slice(0, 6)) conversation.take(event)
  const text = (await conversation.briefing()).text({ messageId: 0, isAgain: false })
  expect(told(text)).toEqual(['two'])
  expect(text).toContain('my own')
})

it('nothing is read again as long as nobody rewinds', async () => {
  const { text, reads } = heardOf(sampleLog(start, ...turn(2, 'one')))
  expect(told(await text())).toEqual(['one'])
  expect(reads()).toBe(0)
})
