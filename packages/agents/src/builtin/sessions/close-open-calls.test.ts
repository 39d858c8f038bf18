import type { ModelMessage } from 'ai'
import { expect, it } from 'vitest'
import { closeOpenCalls } from './close-open-calls.ts'

const calls = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
})
const result = (toolCallId: string): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value: 'x' } }],
})
const missing = (toolCallId: string) => ({
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'error-text', value: 'ended' } },
  ],
})
const user: ModelMessage = { role: 'user', content: 'go' }

it('a whole conversation is left as it is', () => {
  const whole = [user, calls('a', 'b'), result('a'), result('b'), user]
  expect(closeOpenCalls(whole, 'ended')).toEqual(whole)
})

it('a call without a result gets one, behind those that have theirs', () => {
  expect(closeOpenCalls([user, calls('a', 'b'), result('a')], 'ended')).toEqual([
    user,
    calls('a', 'b'),
    result('a'),
    missing('b'),
  ])
})

it('a call without a result gets one where it is, also when the conversation went on', () => {
  expect(closeOpenCalls([calls('a'), user, calls('a'), result('a')], 'ended')).toEqual([
    calls('a'),
    missing('a'),
    user,
    calls('a'),
    result('a'),
  ])
})
