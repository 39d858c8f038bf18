import { type Line, runner, sampleHash, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { RecordedChanges } from './recorded-changes.ts'

const message: Line = [web, '_posthog/user_message', { content: 'hi' }]
const ack = (id: number, into?: number): Line => [
  runner,
  '_posthog/ack',
  { for: 'user_message', id, ...(into && { into }) },
]
const end = (messageId: number, into?: number): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn', ...(into && { into }) },
]
const wrote = (path: string): Line => [
  runner,
  '_posthog/file_change',
  { path, action: 'created', hash: sampleHash(path) },
]

it('what an agent writes after something was said into its turn is a change of that same turn', () => {
  const changes = new RecordedChanges()
  const turn = [message, message, ack(1), wrote('a'), ack(2, 1), wrote('b'), end(1), end(2, 1), wrote('c')]
  for (const event of sampleLog(...turn)) changes.take(event)
  expect(changes.all.map((change) => change.turn)).toEqual([1, 1, null])
})
