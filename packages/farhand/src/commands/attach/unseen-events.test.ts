import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { expect, it } from 'vitest'
import { countUnseen, nothingUnseen, sinceInWords } from './unseen-events.ts'

const hash = `sha256_${'0'.repeat(64)}`
const event = (method: string, params: object, id: number) =>
  SeenEvent.parse({
    id,
    type: 'notification',
    timestamp: `2030-01-01T00:00:0${id}.000Z`,
    by: { kind: 'runner', generation: 1 },
    notification: { jsonrpc: '2.0', method, params },
  })
const write = (path: string) => ({ path, action: 'created', hash })

const since = (...said: [string, object][]) =>
  said.map(([method, params], at) => event(method, params, at + 1)).reduce(countUnseen, nothingUnseen(0))

it('counts what a user who was away wants to know, each file once', () => {
  const told = since(
    ['_posthog/user_message', { content: 'more' }],
    ['agent_message_chunk', { text: 'ok' }],
    ['_posthog/file_change', { files: [write('a'), write('b'), write('c')] }],
    ['_posthog/file_change', write('a')],
    ['_posthog/file_change', { path: 'd', action: 'deleted' }],
    ['_posthog/git_commit', { sha: 'abcd', kind: 'commit' }],
    ['_posthog/git_commit', { sha: 'abcd', kind: 'checkpoint' }],
    ['_posthog/agent_question', { questionId: 'qst_12345678', question: '?' }],
    ['_posthog/turn_complete', { messageId: 1, stopReason: 'end_turn' }],
  )
  expect(told).toMatchObject({ events: 9, turns: 1, messages: 1, questions: 1, commits: 1 })
  expect([...told.files]).toEqual(['a', 'b', 'c', 'd'])
  expect(sinceInWords(told)).toBe(
    'Since you looked last (from 2030-01-01 00:00 UTC): 1 message, 1 turn ended, 4 files changed (a, b, c and 1 more), 1 commit, 1 question.',
  )
})

it('is not worth a word where nothing has happened that matters', () => {
  expect(sinceInWords(nothingUnseen(3))).toBeNull()
  expect(sinceInWords(since(['_posthog/console', { level: 'info', message: 'x' }]))).toBeNull()
})
