import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { follow } from '@farhand/client/follow/follow'
import {
  addressOf,
  closeRun,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished, vi } from 'vitest'

const runs = 20
const prompt = [
  'write notes.txt with 200 lines',
  'repeat 5 times: write part-{n}.txt with 10 KB',
  'say 50 chunks of 40 bytes at 50 a second',
  'run `cat part-*.txt | wc -c`',
  'say all is well',
].join('\n')

it(`${runs} runs at once, each in a sandbox, come to their end without an error, and leave nothing behind`, async () => {
  const hub = await HubProcess.start({ settings: ['--max-sandboxes', String(runs)] })
  onTestFinished(async () => {
    await hub.kill()
    await rm(hub.data, { recursive: true, force: true })
  })
  const user = { url: hub.url, token: hub.token }
  const project = await createProject(user, { name: 'many' })
  const task = await createTask(user, project.id, { title: 'many' })
  const asked = { agent: 'rehearsal', prompt }
  const begun = await Promise.all(
    Array.from({ length: runs }, () => createRun(user, project.id, task.id, asked)),
  )
  const all = begun.map(addressOf)
  /** What is told until the run is at the end of its turn. */
  const story = async (at: RunAddress) => {
    const told: SeenEvent[] = []
    for await (const event of follow(user, at, { envelope: 'stored' })) {
      told.push(event)
      if (event.notification.method === '_posthog/turn_complete') break
    }
    return told
  }
  for (const told of await Promise.all(all.map(story))) {
    const of = (method: string) => told.filter(({ notification }) => notification.method === method)
    expect(of('_posthog/error')).toEqual([])
    expect(of('_posthog/session_start')).toHaveLength(1)
    expect(of('_posthog/turn_complete')[0]?.notification.params).toMatchObject({ stopReason: 'end_turn' })
    const words = of('agent_message_chunk').map(({ notification }) => notification.params?.text)
    expect(words.join('')).toMatch(/all is well$/)
    expect(JSON.stringify(of('tool_result').at(-1))).toContain('51200')
  }
  await Promise.all(all.map((at) => closeRun(user, at)))
  await vi.waitFor(async () => expect(await readdir(join(hub.data, 'sandboxes'))).toEqual([]), 300_000)
}, 900_000)
