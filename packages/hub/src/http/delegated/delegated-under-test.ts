import type { DelegatedTask, TaskFrame, TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, onTestFinished } from 'vitest'
import { HubUnderTest, notification, ReadStream } from '../hub-under-test.ts'

export type Hub = HubUnderTest

export const delegate = async (
  hub: Hub,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) =>
  hub.ask('POST', paths.delegatedTasks(), {
    body: { task: 'Write a report', sandbox: 'none', ...more },
    headers,
  })

export const made = (answer: { body: unknown }) => answer.body as DelegatedTask

/** A hub with a task, and a runner that says what an agent would. */
export async function taskUnderTest(more: Record<string, unknown> = {}) {
  const hub = await HubUnderTest.start()
  const task = made(await delegate(hub, more))
  const { token } = await hub.runner(task.run)
  const say = async (...said: unknown[]) => {
    const answer = await hub.post(task.run, said, { token })
    expect(answer.status).toBe(202)
  }
  const snapshot = async () =>
    (await hub.ask('GET', paths.delegatedTask(task.task_id))).body as unknown as TaskSnapshot
  const state = (action: string) => hub.ask('PATCH', paths.delegatedState(task.task_id), { body: { action } })
  const input = (body: unknown, headers: Record<string, string> = {}) =>
    hub.ask('POST', paths.delegatedInput(task.task_id), { body, headers })
  return { hub, task, say, snapshot, state, input }
}

export const prompt = 2
export const ack = (id = prompt) => notification('_posthog/ack', { for: '_posthog/user_message', id })
export const ends = (messageId = prompt, stopReason = 'end_turn') =>
  notification('_posthog/turn_complete', { messageId, stopReason })
export const asks = (questionId: string) =>
  notification('_posthog/agent_question', {
    questionId,
    question: 'May I?',
    kind: 'permission',
    options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
  })

export async function streamOf(
  hub: Hub,
  { task_id }: DelegatedTask,
  query = '',
  headers: Record<string, string> = {},
) {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const answer = await fetch(new URL(`${paths.delegatedStream(task_id)}${query}`, hub.hub.url), {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${hub.token}`, ...headers },
    signal: gone.signal,
  })
  return new ReadStream(answer, () => gone.abort())
}

type Read = { id: number | undefined; frame: TaskFrame }

/** Every frame until the hub ends the stream. */
export async function wholeStream(...args: Parameters<typeof streamOf>): Promise<Read[]> {
  const stream = await streamOf(...args)
  const read: Read[] = []
  for (let seen = await stream.next(); seen; seen = await stream.next())
    if (seen.data) read.push({ id: seen.id, frame: JSON.parse(seen.data) })
  return read
}
