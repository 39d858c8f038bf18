import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beginRunner } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import { expect, it } from 'vitest'
import { RunUnderTest } from './runner-under-test.ts'

const is = (method: string) => (event: { notification: { method: string } }) =>
  event.notification.method === method

/** A run whose first runner died while this was said and not yet sent. */
async function diedWith(last: (messageId: number) => [string, Notification['params']][]) {
  const run = await RunUnderTest.begin()
  await beginRunner(run.user, run.at)
  const messageId = await run.say('_posthog/user_message', { content: 'say hello' })
  const journal = join(run.state, 'runner/journal')
  await mkdir(journal, { recursive: true })
  const lines = last(messageId).map(([method, params]) => ({ jsonrpc: '2.0', method, params }))
  await writeFile(join(journal, '1.0.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await run.start()
  return run
}

it('W29 a turn whose beginning a dead runner had not sent is continued by the next one', async () => {
  const run = await diedWith((id) => [['_posthog/ack', { for: 'user_message', id }]])
  const end = await run.until(is('_posthog/turn_complete'))
  expect(end.notification.params).toMatchObject({ stopReason: 'end_turn' })
})

it('W29 W30 tools and questions that a dead runner left open get an end before the turn is continued', async () => {
  const questionId = 'qst_00000001'
  const run = await diedWith((id) => [
    ['_posthog/ack', { for: 'user_message', id }],
    ['tool_call', { toolCallId: 'call-1', status: 'in_progress' }],
    ['_posthog/agent_question', { questionId, question: '?' }],
  ])
  await run.until(is('_posthog/turn_complete'))
  const closed = await run.until(is('_posthog/question_closed'))
  expect(closed.notification.params).toEqual({ questionId, how: 'superseded' })
  const failed = await run.until(is('tool_result'))
  expect(failed.notification.params).toMatchObject({ toolCallId: 'call-1', status: 'failed' })
})
