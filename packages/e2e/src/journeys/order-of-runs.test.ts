import { rm } from 'node:fs/promises'
import { post } from '@farhand/client/post/post'
import {
  addressOf,
  createProject,
  createRun,
  createTask,
  listAllRuns,
} from '@farhand/client/resources/resources'
import type { Run } from '@farhand/protocol/schemas/api'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished, vi } from 'vitest'

it('runs are listed by when something was last done in them, also after the hub was killed', async () => {
  const process = await HubProcess.start()
  onTestFinished(async () => {
    await process.kill()
    await rm(process.data, { recursive: true, force: true })
  })
  const hub = () => ({ url: process.url, token: process.token })
  const { id: project } = await createProject(hub(), { name: 'Garden' })
  const { id: task } = await createTask(hub(), project, { title: 'Water it' })
  const runs: Run[] = []
  for (let n = 0; n < 3; n++) {
    const made = await createRun(hub(), project, task, { sandbox: 'none' })
    runs.push(made)
    // Of two that were made in the same millisecond either may be listed first.
    while (Date.now() <= Date.parse(made.createdAt)) await new Promise(setImmediate)
  }
  const [first, second, third] = runs.map(({ id }) => id)
  const say = (nth: number) =>
    post(hub(), addressOf(runs[nth]!), {
      jsonrpc: '2.0',
      method: '_posthog/user_message',
      params: { content: 'go' },
    })
  const listed = async () => (await listAllRuns(hub(), { order: 'active' })).items.map(({ id }) => id)
  expect(await listed()).toEqual([third, second, first])
  await say(0)
  expect(await listed()).toEqual([first, third, second])
  expect((await listAllRuns(hub())).items.map(({ id }) => id)).toEqual([third, second, first])
  // No client has asked for a list, so nothing is noted yet.
  await say(1)
  await process.restart('SIGKILL')
  await vi.waitFor(async () => expect(await listed()).toEqual([second, first, third]), 60_000)
})
