import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { readBlob } from '@farhand/client/blobs/download-blob'
import { follow } from '@farhand/client/follow/follow'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LastBase } from './last-base.ts'
import { postBase } from './post-base.ts'
import { RepositoryUnderTest } from './repository-under-test.ts'

let hub: HubProcess
let device: Hub
beforeAll(async () => {
  hub = await HubProcess.start()
  device = { url: hub.url, token: hub.token, deviceId: 'dev_laptop00' }
})
afterAll(async () => {
  await hub.kill()
  await rm(hub.data, { recursive: true, force: true })
})

async function posting(filesAreThere: Promise<unknown>) {
  const own = new RepositoryUnderTest()
  own.commit({ 'a.txt': 'one' })
  const base = (await own.base())!
  const project = await createProject(device, { name: 'test' })
  const task = await createTask(device, project.id, { title: 'test' })
  const at = addressOf(await createRun(device, project.id, task.id, { sandbox: 'none' }))
  const { signal } = new AbortController()
  const posted = postBase(device, at, base, { signal, filesAreThere, onStored: () => {} })
  return { at, posted, sha: base.sha }
}

/** The kinds that are said of this commit, up to and with this one. */
async function saidUntil(last: string, { at, sha }: Awaited<ReturnType<typeof posting>>): Promise<unknown[]> {
  const kinds: unknown[] = []
  for await (const { notification } of follow(device, at, { after: 0 })) {
    if (notification.method !== '_posthog/git_commit' || notification.params?.sha !== sha) continue
    kinds.push(notification.params.kind)
    if (notification.params.kind === last) break
  }
  return kinds
}

it('W40 a run is told of its history while files are on their way, and of its base only after them', async () => {
  const files = deferred()
  const run = await posting(files.promise)
  expect(await saidUntil('history', run)).toEqual(['history'])
  files.resolve()
  await run.posted
  expect(await saidUntil('base', run)).toEqual(['history', 'base'])
})

it('W40 nothing is said of a history beforehand where all files are there already', async () => {
  const run = await posting(Promise.resolve())
  await run.posted
  expect(await saidUntil('base', run)).toEqual(['base'])
})

it('W35 of a history that the project has, only what is new travels to the next run, and the bundle is the same', async () => {
  const own = new RepositoryUnderTest()
  const noise = (bytes: number) => randomBytes(bytes).toString('base64')
  for (const nth of [1, 2, 3]) own.commit({ [`${nth}.txt`]: noise(50_000), 'deep/in/list.txt': `${nth}` })
  own.git('gc', '--quiet')
  const project = await createProject(device, { name: 'again' })
  const task = await createTask(device, project.id, { title: 'again' })
  const { signal } = new AbortController()
  const last = new LastBase(own.home)
  const sending = async () => {
    const at = addressOf(await createRun(device, project.id, task.id, { sandbox: 'none' }))
    const base = (await own.base())!
    const done = { signal, filesAreThere: Promise.resolve(), last, onStored: () => {} }
    const sizes = await postBase(device, at, base, done)
    const there = await readBlob(device, at, base.hash)
    expect(Buffer.compare(there, await readFile(base.file))).toBe(0)
    return sizes
  }
  const first = await sending()
  expect(first.sent).toBe(first.bytes)
  own.commit({ '1.txt': noise(3_000), 'deep/in/list.txt': 'more' })
  const second = await sending()
  expect(second.bytes).toBeGreaterThan(first.bytes)
  expect(second.sent).toBeLessThan(6_000)
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
