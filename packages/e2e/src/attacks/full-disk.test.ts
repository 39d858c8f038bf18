import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readBlob } from '@farhand/client/blobs/download-blob'
import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { HubProcess } from '@farhand/testkit/hub-process'
import { canMakeSmallDisk, SmallDisk } from '@farhand/testkit/small-disk'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A hub whose data and whose report are on a disk of a few megabytes, with a run that has a message and two files. */
async function hubOnSmallDisk() {
  const disk = await SmallDisk.make('4m')
  const data = join(disk.folder, 'hub')
  const log = join(disk.folder, 'hub.log')
  const hub = await HubProcess.start({
    data,
    settings: ['--log-level', 'info'],
    within: (...words) => disk.words('sh', '-c', `exec "$@" 2>>'${log}'`, 'sh', ...words),
  })
  onTestFinished(async () => {
    await hub.kill()
    await disk.remove()
  })
  const project = await createProject(hub, { name: 'Full' })
  const task = await createTask(hub, project.id, { title: 'Disk' })
  const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
  const contents = [randomBytes(2_000), randomBytes(300_000)]
  const sources = contents.map(async (bytes) => ({
    hash: await hashOf(bytes),
    size: bytes.length,
    open: () => bytes,
  }))
  await uploadBlobs(hub, at, await Promise.all(sources), {})
  expect(await say(hub, at, 'before')).toMatchObject({ status: 202 })
  return { disk, hub, at, contents }
}

async function ask(hub: HubProcess, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' }
  const answer = await fetch(hub.url + path, { ...init, headers })
  return { status: answer.status, body: await answer.text() }
}

function say(hub: HubProcess, at: RunAddress, content: string) {
  const message = { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } }
  return ask(hub, paths.sync(at), { method: 'POST', body: JSON.stringify(message) })
}

/** All that can be read is read, and what would have to be written is refused with a clear fault. */
async function expectReadable(hub: HubProcess, at: RunAddress, contents: readonly Uint8Array[]) {
  // Each of them is a line in the report of the hub, which is on the full disk, too.
  for (let nth = 0; nth < 60; nth++) expect(await ask(hub, paths.status(at))).toMatchObject({ status: 200 })
  expect((await ask(hub, paths.log(at))).body).toContain('"content":"before"')
  for (const bytes of contents)
    expect(Buffer.compare(await readBlob(hub, at, await hashOf(bytes), {}), bytes)).toBe(0)
  const refused = await say(hub, at, 'x'.repeat(10_000))
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, 'storage.full'])
}

describe.runIf(canMakeSmallDisk)('a full disk', { timeout: 180_000 }, () => {
  it('W10 is reported to writers, and neither blocks the hub that reports it nor keeps it from ending', async () => {
    const { disk, hub, at, contents } = await hubOnSmallDisk()
    await disk.fill()
    await expectReadable(hub, at, contents)
    expect(await hub.kill('SIGTERM')).toBe(0)
  })

  it('W10 lets a hub that died there start again to read, and to write once there is room', async () => {
    const { disk, hub, at, contents } = await hubOnSmallDisk()
    await disk.fill()
    await hub.kill('SIGKILL')
    await disk.fill()
    await hub.spawn()
    await expectReadable(hub, at, contents)
    expect(await hub.kill('SIGTERM')).toBe(0)
    // As after a restart of the machine: what SQLite had for several processes is gone, and there is no room to make it.
    await rm(join(disk.outside, 'hub/store.sqlite-shm'))
    await disk.fill()
    await hub.spawn()
    await expectReadable(hub, at, contents)
    await disk.free()
    expect(await say(hub, at, 'after')).toMatchObject({ status: 202 })
    expect((await ask(hub, paths.log(at))).body).toMatch(/"before".*\n.*"after"/)
  })
})
