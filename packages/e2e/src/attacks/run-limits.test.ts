import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  createProject,
  createRun,
  createTask,
  runStatus,
} from '@farhand/client/resources/resources'
import { BubblewrapSandboxHost } from '@farhand/hub/sandboxes/bubblewrap-sandbox-host'
import type { NewRun } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished, vi } from 'vitest'
import { addedUser } from './users-under-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'farhand-limits-'))
const unusable = await new BubblewrapSandboxHost({ folder, secret: [] }).unusable()
rmSync(folder, { recursive: true })

async function start(...settings: string[]): Promise<HubProcess> {
  const hub = await HubProcess.start({ settings })
  onTestFinished(async () => {
    await hub.kill()
    rmSync(hub.data, { recursive: true, force: true })
  })
  return hub
}

async function make(user: Hub, asked: NewRun): Promise<RunAddress> {
  const { id: project } = await createProject(user, { name: 'p' })
  const { id: task } = await createTask(user, project, { title: 't' })
  return addressOf(await createRun(user, project, task, { agent: 'rehearsal', ...asked }))
}

async function logOf(user: Hub, at: RunAddress): Promise<string> {
  const lines: string[] = []
  for await (const event of readLog(user, at)) lines.push(JSON.stringify(event))
  return lines.join('\n')
}

const patience = { timeout: 100_000, interval: 100 }
const until = (user: Hub, at: RunAddress, status: string) =>
  vi.waitFor(async () => expect((await runStatus(user, at)).status).toBe(status), patience)

it.skipIf(unusable)(
  'W51 a run that asks for more memory than the hub allows gets what the hub allows',
  async () => {
    const hub = await start('--memory-mb', '400')
    const user = { url: hub.url, token: hub.token }
    const bomb = `${process.execPath} -e "console.log(Buffer.alloc(600e6, 1).length)"`
    const limits = { memoryMb: 100_000, processes: 50_000, cpus: 500, diskMb: 10_000_000 }
    const at = await make(user, { prompt: `run \`${bomb}\`. write end.txt with x`, terms: { limits } })
    await vi.waitFor(async () => expect(await logOf(user, at)).toContain('memory in MB: 100000'), patience)
    await vi.waitFor(async () => {
      const log = await logOf(user, at)
      expect(log.includes('turn_complete') || log.includes('The sandbox is gone')).toBe(true)
    }, patience)
    expect(await logOf(user, at)).not.toContain('600000000\\n')
  },
)

it.skipIf(unusable)(
  'W51 a user who wants all sandboxes leaves room for others, whose first run does not wait for their second',
  async () => {
    const hub = await start('--max-sandboxes', '2')
    const owner = { url: hub.url, token: hub.token }
    const bob = await addedUser(hub, 'bob')
    const busy = { prompt: 'think for 300 seconds' }
    const first = await make(owner, busy)
    await until(owner, first, 'active')
    const second = await make(owner, busy)
    const theirs = await make(bob, busy)
    await until(bob, theirs, 'active')
    expect((await runStatus(owner, second)).status).toBe('queued')
    expect(await logOf(owner, second)).toContain('your share')
  },
)
