import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBlob } from '@farhand/client/blobs/download-blob'
import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { openDiskBlobStore } from '@farhand/hub/blobs/disk-blob-store'
import { HubUnderTest, message, notification } from '@farhand/hub/http/hub-under-test'
import { openFileEventLog } from '@farhand/hub/log/file-event-log'
import { LostStore } from '@farhand/hub/lost-store'
import { packedPlaces } from '@farhand/hub/store/packed-places'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { sweepOnce } from '@farhand/hub/sweeping'
import { unknownLogs } from '@farhand/hub/unknown-logs'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { eventsHead, packType, writePack } from '@farhand/protocol/wire/pack'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { command } from '@farhand/testkit/program-process'
import { describe, expect, it, onTestFinished } from 'vitest'

const storeFiles = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm']

const client = (hub: HubUnderTest) => ({ url: hub.hub.url, token: hub.token })

/** A run with a message, a small file and a large one. */
async function runWithFiles(hub: HubUnderTest) {
  const at = await hub.run()
  const contents = [randomBytes(2_000), randomBytes(6_000_000)]
  const sources = contents.map(async (bytes) => ({
    hash: await hashOf(bytes),
    size: bytes.length,
    open: () => bytes,
  }))
  await uploadBlobs(client(hub), at, await Promise.all(sources), {})
  await hub.post(at, message('hello'))
  return { at, contents }
}

async function expectAll(hub: HubUnderTest, at: RunAddress, contents: readonly Uint8Array[]) {
  expect((await hub.ask('GET', paths.log(at))).body).toContain('hello')
  for (const bytes of contents)
    expect(Buffer.compare(await readBlob(client(hub), at, await hashOf(bytes), {}), bytes)).toBe(0)
}

async function aside(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const filesIn = async (data: string) =>
  (await readdir(data, { recursive: true })).filter((name) => /jsonl|sha256_|\.pack/.test(name)).sort()

describe('a data folder without its store', () => {
  it('is not begun anew: the hub refuses to start, touches nothing, and goes on when the store is back', async () => {
    const hub = await HubUnderTest.start()
    const { at, contents } = await runWithFiles(hub)
    await hub.hub.stop()
    const [backup, before] = [await aside(), await filesIn(hub.data)]
    for (const name of storeFiles) await rename(join(hub.data, name), join(backup, name)).catch(() => {})
    // The second start finds the empty file that the first one made.
    for (let start = 0; start < 2; start++) await expect(HubUnderTest.on(hub.data)).rejects.toThrow(LostStore)
    expect(await filesIn(hub.data)).toEqual(before)
    await cp(backup, hub.data, { recursive: true })
    await expectAll(await HubUnderTest.on(hub.data, {}, hub.token), at, contents)
  })

  it.each([
    ['in a pack', /\.pack$/],
    ['each in a file of its own', /sha256_/],
  ])('is not begun anew beside contents alone either: %s', async (_, kind) => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const bytes = randomBytes(2_000)
    const hash = (await hashOf(bytes)) as BlobHash
    if (kind.test('1.pack')) {
      // As a folder sends small files: together with the event that names them.
      const event = notification('_posthog/file_sync', { path: 'a', action: 'created', hash, was: null })
      const line = Buffer.from(JSON.stringify(event))
      const body = Buffer.concat([writePack([{ hash, bytes }]), eventsHead(line.length), line])
      const headers = { Authorization: `Bearer ${hub.token}`, 'Content-Type': packType }
      await fetch(new URL(paths.sync(at), hub.hub.url), { method: 'POST', headers, body })
    } else await uploadBlobs(client(hub), at, [{ hash, size: bytes.length, open: () => bytes }], {})
    await hub.hub.stop()
    for (const name of [...storeFiles, 'logs'])
      await rm(join(hub.data, name), { recursive: true, force: true })
    const before = await filesIn(hub.data)
    expect(before).toEqual([expect.stringMatching(kind)])
    await expect(HubUnderTest.on(hub.data)).rejects.toThrow(/holds contents of files, but its store\.sqlite/)
    expect(await filesIn(hub.data)).toEqual(before)
  })

  it('is reported at the start of the hub, with the way to restore it', async () => {
    const hub = await HubUnderTest.start()
    await hub.post(await hub.run(), message('hello'))
    await hub.hub.stop()
    for (const name of storeFiles) await rm(join(hub.data, name), { force: true })
    // A hub that starts all the same would be waited for without end.
    const started = spawnSync(process.execPath, [command, 'hub', '--port', '0', '--data', hub.data], {
      timeout: 60_000,
    })
    expect([started.status, String(started.stderr)]).toEqual([
      1,
      expect.stringMatching(
        /holds the logs of 1 run, but its store\.sqlite is missing or empty\.\nPut store\.sqlite back/,
      ),
    ])
  })
})

describe('a store that is older than the files', () => {
  it('loses no contents that came into one of its runs later: the hub records them again', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.hub.stop()
    const older = await aside()
    for (const name of storeFiles) await cp(join(hub.data, name), join(older, name)).catch(() => {})
    const second = await HubUnderTest.on(hub.data, {}, hub.token)
    const bytes = randomBytes(2_000_000)
    const hash = (await hashOf(bytes)) as BlobHash
    await uploadBlobs(client(second), at, [{ hash, size: bytes.length, open: () => bytes }], {})
    await second.post(
      at,
      notification('_posthog/file_sync', { path: 'a', action: 'created', hash, was: null }),
    )
    await second.hub.stop()
    for (const name of storeFiles) await rm(join(hub.data, name), { force: true })
    await cp(older, hub.data, { recursive: true })
    const third = await HubUnderTest.on(hub.data, {}, hub.token)
    // Requests do not wait for that when it starts.
    await expect
      .poll(() => third.ask('GET', paths.runFile(at, hash)).then(({ status }) => status), { timeout: 30_000 })
      .toBe(200)
    expect(Buffer.compare(await readBlob(client(third), at, hash, {}), bytes)).toBe(0)
  })

  it('loses nothing: the sweep removes no contents next to logs it does not know, and says so', async () => {
    const hub = await HubUnderTest.start()
    await hub.post(await hub.run(), message('first'))
    await hub.hub.stop()
    const [older, newer] = [await aside(), await aside()]
    const copy = async (from: string, to: string) => {
      for (const name of storeFiles) {
        await rm(join(to, name), { force: true })
        await cp(join(from, name), join(to, name)).catch(() => {})
      }
    }
    await copy(hub.data, older)
    const second = await HubUnderTest.on(hub.data, {}, hub.token)
    const { at, contents } = await runWithFiles(second)
    await second.hub.stop()
    await copy(hub.data, newer)
    const before = await filesIn(hub.data)

    await copy(older, hub.data)
    const third = await HubUnderTest.on(hub.data, {}, hub.token)
    await third.hub.stop()
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    const log = await openFileEventLog({ dir: join(hub.data, 'logs') })
    const blobs = await openDiskBlobStore(join(hub.data, 'files'), packedPlaces(store.db))
    const said: string[] = []
    const logger = { info: () => {}, error: (_: object, message: string) => void said.push(message) }
    const strangers = () => unknownLogs(store.db, join(hub.data, 'logs'))
    expect(await strangers()).toEqual([at.run])
    for (let day = 31; day < 100; day++) {
      const now = new Date(Date.now() + day * 24 * 3600_000)
      await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: strangers }, now)
    }
    expect(said.join('')).toContain('store.sqlite does not know')
    await Promise.all([log.close(), blobs.close()])
    await store.close()
    expect(await filesIn(hub.data)).toEqual(before)

    await copy(newer, hub.data)
    await expectAll(await HubUnderTest.on(hub.data, {}, hub.token), at, contents)
  })
})
