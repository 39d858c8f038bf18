import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  createProject,
  createRun,
  createTask,
  listRuns,
  moveRun,
  runStatus,
} from '@farhand/client/resources/resources'
import { BubblewrapSandboxHost } from '@farhand/hub/sandboxes/bubblewrap-sandbox-host'
import type { NewRun } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { HubProcess } from '@farhand/testkit/hub-process'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addedUser, setRole } from './users-under-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'farhand-kinds-'))
const unusable = await new BubblewrapSandboxHost({ folder, secret: [] }).unusable()
rmSync(folder, { recursive: true })

const hubs: HubProcess[] = []
let hub: HubProcess
beforeAll(async () => {
  hub = await start()
})
afterAll(async () => {
  for (const one of hubs) {
    await one.kill()
    rmSync(one.data, { recursive: true, force: true })
  }
})

async function start(...settings: string[]): Promise<HubProcess> {
  const started = await HubProcess.start({ settings })
  hubs.push(started)
  return started
}

async function taskOf(user: Hub) {
  const { id: project } = await createProject(user, { name: 'p' })
  const { id: task } = await createTask(user, project, { title: 't' })
  return { project, task, make: (asked: NewRun) => createRun(user, project, task, asked) }
}

/** What an agent that nothing isolates would print: the hub's own key. */
const theft = (data: string) => ({ agent: 'rehearsal', prompt: `run \`base64 ${join(data, 'secret')}\`` })
const refused = expect.objectContaining({ code: 'terms.refused', status: 403 })

async function logOf(user: Hub, at: RunAddress): Promise<string> {
  const lines: string[] = []
  for await (const event of readLog(user, at)) lines.push(JSON.stringify(event))
  return lines.join('\n')
}

const until = (user: Hub, at: RunAddress, status: string) =>
  vi.waitFor(async () => expect((await runStatus(user, at)).status).toBe(status), {
    timeout: 100_000,
    interval: 50,
  })

describe('a user who is not the owner of the hub', () => {
  it('W50 gets no sandbox that does not isolate, and no run is made', async () => {
    const eve = await addedUser(hub, 'eve')
    const { project, task, make } = await taskOf(eve)
    await expect(make({ sandbox: 'process', ...theft(hub.data) })).rejects.toEqual(refused)
    await expect(make({ sandbox: 'process', terms: { setup: 'id' }, ...theft(hub.data) })).rejects.toEqual(
      refused,
    )
    expect((await listRuns(eve, project, task)).items).toEqual([])
  })

  it('W50 W46 cannot move a run to one', async () => {
    const mallory = await addedUser(hub, 'mallory')
    const { make } = await taskOf(mallory)
    const at = addressOf(await make({ sandbox: 'none', ...theft(hub.data) }))
    await expect(moveRun(mallory, at, { sandbox: 'process', after: 0 })).rejects.toEqual(refused)
    const check = { sandbox: 'process', after: 0, check: true }
    await expect(moveRun(mallory, at, check)).rejects.toEqual(refused)
    expect(await logOf(mallory, at)).not.toContain('_posthog/moved')
  })

  it('W50 W39 can neither wake nor fork a run that has one from a time when that was allowed', async () => {
    const weak = await start('--sandbox', 'process')
    const trent = await addedUser(weak, 'trent')
    await setRole(weak, 'trent', 'owner')
    const { project, task, make } = await taskOf(trent)
    const at = addressOf(
      await make({ sandbox: 'process', agent: 'rehearsal', terms: { idleMinutes: 0.001 } }),
    )
    await until(trent, at, 'asleep')
    await setRole(weak, 'trent', 'member')

    const { prompt } = theft(weak.data)
    await post(trent, at, [{ jsonrpc: '2.0', method: '_posthog/user_message', params: { content: prompt } }])
    await until(trent, at, 'failed')
    const log = await logOf(trent, at)
    expect(log).toContain('A process sandbox is for the owner of this hub alone')
    expect(log).not.toContain(readFileSync(join(weak.data, 'secret')).toString('base64').slice(0, 40))
    const fork = { run: at.run, event: 1 }
    await expect(createRun(trent, project, task, { fork })).rejects.toEqual(refused)
    const named = { fork, sandbox: 'process' }
    await expect(createRun(trent, project, task, named)).rejects.toEqual(refused)
  })

  it('W50 is not given one when the hub has nothing better, either', async () => {
    const weak = await start('--sandbox', 'process')
    const eve = await addedUser(weak, 'eve')
    const { make } = await taskOf(eve)
    const at = addressOf(await make(theft(weak.data)))
    await until(eve, at, 'failed')
    expect(await logOf(eve, at)).toContain('A process sandbox is for the owner of this hub alone')
  })
})

it('W50 the owner of a hub with other users gets no sandbox that does not isolate, unless the operator names the kind', async () => {
  await addedUser(hub, 'another user')
  const { make } = await taskOf(hub)
  await expect(make({ sandbox: 'process', ...theft(hub.data) })).rejects.toEqual(refused)
})

describe('the network of a user who is not the owner', () => {
  it('W50 cannot be made to lead to the services of the hub’s machine by what their run lists', async () => {
    const eve = await addedUser(hub, 'network eve')
    const { make } = await taskOf(eve)
    const port = new URL(hub.url).port
    for (const terms of [
      { network: { allow: [`127.0.0.1:${port}`] } },
      { network: { allow: ['169.254.169.254'] } },
      { remotes: [`http://127.0.0.1:${port}/`] },
      { clone: { url: `http://localhost:${port}/a.git` } },
    ])
      await expect(make({ terms, agent: 'rehearsal' })).rejects.toEqual(refused)
  })

  it.skipIf(unusable)('W50 is not that of the hub’s machine when their run says nothing of it', async () => {
    const site = await onLoopback(createServer((_req, res) => res.end('a service of the machine')))
    onTestFinished(() => site.close())
    const get = (how: string) =>
      `${process.execPath} -e "require('node:http').get(${how}, (r) => r.pipe(process.stdout)).on('error', (e) => console.log(e.code))"`
    const directly = get(`'${site.url}/'`)
    const byProxy = get(
      `{ host: new URL(process.env.http_proxy).hostname, port: new URL(process.env.http_proxy).port, path: '${site.url}/' }`,
    )
    const prompt = `run \`${directly}\`. run \`${byProxy}\``
    const eve = await addedUser(hub, 'lonely eve')
    const at = addressOf(await (await taskOf(eve)).make({ agent: 'rehearsal', prompt }))
    await vi.waitFor(async () => expect(await logOf(eve, at)).toContain('turn_complete'), {
      timeout: 100_000,
      interval: 200,
    })
    const log = await logOf(eve, at)
    expect(log).not.toContain('a service of the machine')
    expect(log).toContain('ECONNREFUSED')
    expect(log).toContain('leads into a private network')
  })
})

describe('the operator', () => {
  it('W50 decides which kinds there are for all users, the owner and older runs included', async () => {
    const strict = await start()
    const owner = { url: strict.url, token: strict.token }
    const { make } = await taskOf(owner)
    const at = addressOf(
      await make({ sandbox: 'process', agent: 'rehearsal', prompt: 'think for 60 seconds' }),
    )
    await until(owner, at, 'active')
    await strict.kill()
    const again = await HubProcess.start({
      data: strict.data,
      settings: ['--allowed-sandboxes', 'bubblewrap'],
    })
    onTestFinished(async () => {
      await again.kill()
    })
    const same = { url: again.url, token: strict.token }
    // It ran on without a hub; the next one ends it instead of taking it over.
    await until(same, at, 'failed')
    expect(await logOf(same, at)).toContain('does not allow process sandboxes')
    await expect((await taskOf(same)).make({ sandbox: 'process' })).rejects.toEqual(refused)
  })
})
