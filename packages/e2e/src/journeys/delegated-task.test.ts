import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TaskClient } from '@farhand/client/delegated/task-client'
import { post } from '@farhand/client/post/post'
import { closeRun } from '@farhand/client/resources/resources'
import { event } from '@farhand/protocol/events/event-names'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished, vi } from 'vitest'

const patienceMs = 60_000

it('a task goes on while its hub is killed and its reader is cut off, and the reader gets each word once', async () => {
  const process = await HubProcess.start({ settings: ['--idle-minutes', '0.02'] })
  const hub = { url: process.url, token: process.token }
  const client = new TaskClient(hub, { backoff: { firstMs: 20, maxMs: 200 } })
  const task = await client.create({
    task: 'say one\nwait for go.txt to exist\nsay two\nsay three',
    agent: 'rehearsal',
  })
  onTestFinished(async () => {
    await closeRun(hub, task.run)
    const left = async () => await readdir(join(process.data, 'sandboxes')).catch(() => [])
    await vi.waitFor(async () => expect(await left()).toEqual([]), patienceMs)
    await process.kill()
    await rm(process.data, { recursive: true, force: true })
  })
  let text = ''
  let isKilled = false
  const types: string[] = []
  for await (const frame of client.follow(task.task_id)) {
    types.push(frame.type === 'acp_task_status' ? frame.data.status : frame.type)
    if (frame.type !== 'acp_text_delta') continue
    text += frame.data.delta
    if (isKilled || !text.includes('one')) continue
    isKilled = true
    await process.restart('SIGKILL')
    // The agent waits for this file.
    await post(hub, task.run, event('shell', { command: 'touch go.txt', id: 'go' }))
  }
  expect(text.match(/\b(one|two|three)\b/g)).toEqual(['one', 'two', 'three'])
  expect(types.slice(-2)).toEqual(['completed', 'acp_task_completed'])
  expect(await client.get(task.task_id)).toMatchObject({ status: 'completed', ended_seq: expect.any(Number) })
}, 180_000)
