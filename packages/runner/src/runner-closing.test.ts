import { follow } from '@farhand/client/follow/follow'
import { readLog } from '@farhand/client/follow/read-log'
import { Producer } from '@farhand/client/post/producer'
import { beginRunner, runStatus } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import { expect, it, onTestFinished } from 'vitest'
import { RunUnderTest } from './runner-under-test.ts'

const event = (method: string, params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})

/** A run that is being closed, by a hub that waits for its runner, which has died after it said this. */
async function closing(words: (messageId: number) => Notification[]) {
  const run = await RunUnderTest.begin()
  const messageId = await run.say('_posthog/user_message', { content: 'say hello' })
  const { token, generation } = await beginRunner(run.user, run.at)
  const dead = { ...run.user, token }
  const { signal } = new AbortController()
  const said = words(messageId)
  if (said.length > 0)
    await new Producer(dead, run.at, { id: 'runner', epoch: generation, signal }).send(said)
  const orders = follow(dead, run.at, { to: 'agent', signal })
  onTestFinished(async () => void (await orders.return(undefined)))
  await orders.next()
  await run.say('_posthog/close')
  const saidAfter = async () => {
    const after: Notification[] = []
    for await (const { by, notification } of readLog(run.user, run.at))
      if (by.kind === 'runner' && by.generation > generation) after.push(notification)
    return after
  }
  return { run, messageId, saidAfter }
}

it('W29 W30 a runner that comes while its run is closed ends what the one before left open', async () => {
  const questionId = 'qst_00000001'
  const { run, messageId, saidAfter } = await closing((id) => [
    event('_posthog/ack', { for: 'user_message', id }),
    event('_posthog/agent_question', { questionId, question: 'Go on?' }),
  ])
  await run.start()
  expect(await run.end).toBe('closed')
  expect(await saidAfter()).toEqual([
    event('_posthog/question_closed', { questionId, how: 'superseded' }),
    event('_posthog/turn_complete', { messageId, stopReason: 'cancelled' }),
  ])
})

it('W22 a runner that comes while its run is closed, and finds nothing to do, lets the hub wait no longer', async () => {
  const { run, saidAfter } = await closing(() => [])
  await run.start()
  expect(await run.end).toBe('closed')
  expect(await saidAfter()).toEqual([])
  expect(await runStatus(run.user, run.at)).toMatchObject({ status: 'closed' })
})
