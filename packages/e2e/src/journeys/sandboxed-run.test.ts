import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { follow } from '@farhand/client/follow/follow'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  closeRun,
  createProject,
  createRun,
  createTask,
  runStatus,
} from '@farhand/client/resources/resources'
import { endProcesses } from '@farhand/hub/sandboxes/processes'
import type { NewRun } from '@farhand/protocol/schemas/api'
import type { ProjectId, TaskId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

const patienceMs = 50_000
const timeout = 180_000

let hub: HubProcess
let user: Hub
let task: { project: ProjectId; task: TaskId }

beforeAll(async () => {
  hub = await HubProcess.start({ settings: ['--idle-minutes', '0.01', '--runner-away-ms', '500'] })
  user = { url: hub.url, token: hub.token }
  const project = await createProject(user, { name: 'journey' })
  task = { project: project.id, task: (await createTask(user, project.id, { title: 'journey' })).id }
})

afterAll(async () => {
  await hub.kill()
  await rm(hub.data, { recursive: true, force: true })
})

async function begin(asked: NewRun): Promise<RunAddress> {
  const made = await createRun(user, task.project, task.task, { agent: 'rehearsal', ...asked })
  const at = addressOf(made)
  onTestFinished(async () => {
    await closeRun(user, at)
    // It would go on without its hub, and the next test would take it for its own.
    await allGone()
  })
  return at
}

const say = (at: RunAddress, content: string) =>
  post(user, at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } })

/** The first event from there on that is like this. */
async function until(
  at: RunAddress,
  after: number,
  isLike: (event: SeenEvent) => boolean,
): Promise<SeenEvent> {
  for await (const event of follow(user, at, { envelope: 'stored', after })) if (isLike(event)) return event
  throw new Error('the run was closed before that')
}

const is =
  (method: string, params: Record<string, unknown> = {}) =>
  ({ notification }: SeenEvent) =>
    notification.method === method &&
    Object.entries(params).every(([name, value]) => notification.params?.[name] === value)
const isAsleep = is('_posthog/status', { status: 'asleep' })
const isOver = is('_posthog/turn_complete')

async function told(at: RunAddress, ...methods: string[]): Promise<string[]> {
  const all: string[] = []
  for await (const { notification: said } of readLog(user, at)) {
    const word = said.method.replace('_posthog/', '')
    if (methods.includes(word))
      all.push([word, said.params?.status ?? said.params?.phase].filter(Boolean).join(' '))
  }
  return all
}

const sandboxes = () => readdir(join(hub.data, 'sandboxes'))
const allGone = () => vi.waitFor(async () => expect(await sandboxes()).toEqual([]), patienceMs)

describe('a run in a sandbox of its hub', { timeout }, () => {
  it('gets one, sleeps, is woken by a message and remembers; closed, it leaves nothing behind', async () => {
    const at = await begin({ prompt: 'write a.txt with hello' })
    const asleep = await until(at, 0, isAsleep)
    const story = await told(
      at,
      'status',
      'session_start',
      'turn_complete',
      'phase_start',
      'git_commit',
      'rest_answer',
    )
    // Saving is told only where it takes long.
    expect(story.filter((word) => word !== 'phase_start checkpointing')).toEqual([
      'status provisioning',
      'phase_start provisioning',
      'session_start',
      'status active',
      'turn_complete',
      'git_commit',
      'rest_answer',
      'status asleep',
    ])
    expect(await sandboxes()).toEqual([])
    const { lastEventId } = await say(at, 'run `cat a.txt`')
    const output = await until(at, lastEventId, is('tool_result'))
    expect(JSON.stringify(output)).toContain('hello')
    const start = await until(at, asleep.id, is('_posthog/agent_start'))
    expect(start.notification.params).toMatchObject({ how: 'resumed' })
    await until(at, lastEventId, isOver)
    await closeRun(user, at)
    await vi.waitFor(
      async () => expect(await runStatus(user, at)).toMatchObject({ status: 'closed' }),
      patienceMs,
    )
    await allGone()
  })

  it('W37 works on a message that comes in the moment in which it falls asleep', async () => {
    const at = await begin({ sandbox: 'process' })
    const request = await until(at, 0, is('_posthog/rest_request'))
    const { lastEventId: messageId } = await say(at, 'say still here')
    const over = await until(at, request.id, isOver)
    expect(over.notification.params).toMatchObject({ messageId, stopReason: 'end_turn' })
    expect(await told(at, 'ack')).toEqual(['ack'])
  })

  it('W29 goes on in another one when everything in it is killed in the middle of a turn', async () => {
    // However long it takes to kill everything, the turn is not over before that.
    const isKilled = join(hub.data, 'is-killed')
    const prompt = `run \`until test -e ${isKilled}; do sleep 0.05; done\``
    const at = await begin({ sandbox: 'process', prompt })
    await until(at, 0, is('_posthog/agent_start'))
    const [id] = await sandboxes()
    await endProcesses({ mark: id!, leader: null, cgroups: [] }, patienceMs)
    await writeFile(isKilled, '')
    const over = await until(at, 0, isOver)
    expect(over.notification.params).toMatchObject({ stopReason: 'end_turn' })
    expect(await told(at, 'session_start', 'ack')).toEqual(['session_start', 'ack', 'session_start', 'ack'])
  })

  it('works on while its hub is stopped, or killed, and the next hub takes it over as it is', async () => {
    const at = await begin({ sandbox: 'process', prompt: 'think for 3 seconds' })
    await until(at, 0, is('_posthog/agent_start'))
    await hub.restart('SIGTERM')
    await hub.restart('SIGKILL')
    const over = await until(at, 0, isOver)
    expect(over.notification.params).toMatchObject({ stopReason: 'end_turn' })
    await until(at, over.id, isAsleep)
    expect(await told(at, 'session_start', 'ack')).toEqual(['session_start', 'ack'])
    expect(await sandboxes()).toEqual([])
  })

  it('says in its log what is wrong if there can be no sandbox for it', async () => {
    const at = await begin({ agent: 'nonsense', prompt: 'hello' })
    const error = await until(at, 0, is('_posthog/error'))
    expect(error.notification.params?.message).toMatch(/no agent called "nonsense".*try again/)
    expect(await runStatus(user, at)).toMatchObject({ status: 'failed' })
  })
})
