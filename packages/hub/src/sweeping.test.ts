import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import { RunId } from '@farhand/protocol/wire/ids'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chunked, nameOf } from './blobs/blob-store.contract.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { openDiskBlobStore } from './blobs/disk-blob-store.ts'
import { receivedBlobs } from './blobs/received-blobs.ts'
import type { EventLog } from './log/event-log.ts'
import { openFileEventLog } from './log/file-event-log.ts'
import { noteFork } from './store/forks.ts'
import { once } from './store/idempotency.ts'
import { packedPlaces } from './store/packed-places.ts'
import { type NewBlob, rememberBlob, rememberBlobs } from './store/project-blobs.ts'
import { createProject } from './store/projects.ts'
import { openSqliteStore, type Store } from './store/sqlite-store.ts'
import { aRun } from './store/store.contract.ts'
import { startSweeping, sweepOnce } from './sweeping.ts'
import { unknownLogs } from './unknown-logs.ts'

const logger = pino({ level: 'silent' })
const none = async () => []
const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600_000)
let dir: string
let store: Store
let log: EventLog
let blobs: BlobStore
let there: Awaited<ReturnType<typeof aRun>>

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-sweeping-'))
  store = await openSqliteStore(join(dir, 'store.sqlite'))
  log = await openFileEventLog({ dir: join(dir, 'logs'), logger })
  blobs = await openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db))
  there = await aRun(store.db)
})
afterEach(async () => {
  await log.close()
  await store.close()
  await rm(dir, { recursive: true })
})

async function stored(text: string): Promise<BlobHash> {
  const hash = nameOf(Buffer.from(text))
  await blobs.put(hash, chunked(Buffer.from(text)), (size) =>
    rememberBlob(store.db, there.project.id, hash, size, new Date()),
  )
  return hash
}

const append = (...notifications: Notification[]) =>
  log.append(there.run.id, () => ({ by: { kind: 'hub' }, notifications }))
const wrote = (path: string, hash: BlobHash): Notification => ({
  jsonrpc: '2.0',
  method: '_posthog/file_change',
  params: { path, action: 'created', hash, was: null },
})

describe('W25 the hub', () => {
  it('keeps what a log on disk needs, through many chunks of it, and removes the rest', async () => {
    const needed = [await stored('early'), await stored('late')]
    const unneeded = await stored('unneeded')
    await append(wrote('early', needed[0]!))
    const chunk = {
      jsonrpc: '2.0' as const,
      method: 'agent_message_chunk',
      params: { text: 'x'.repeat(100_000) },
    }
    for (let n = 0; n < 20; n++) await append(chunk)
    await append(wrote('late', needed[1]!))
    await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: none }, inDays(31))
    for (const hash of needed) expect(await blobs.size(hash)).not.toBeNull()
    expect(await blobs.size(unneeded)).toBeNull()
  })

  it('frees the space of packed blobs that no run needs, and keeps those beside them', async () => {
    const small = await openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db), { segmentBytes: 1000 })
    const all = Array.from({ length: 10 }, (_, n) => Buffer.from(`${n}`.repeat(200)))
    const whole = all.map((bytes) => ({ hash: nameOf(bytes), bytes }))
    const remember = (found: readonly NewBlob[]) =>
      rememberBlobs(store.db, there.project.id, found, new Date())
    await small.putAll(receivedBlobs(whole), there.project.id, remember)
    await append(wrote('needed', whole[4]!.hash))
    const next = { hash: nameOf(Buffer.from('next')), bytes: Buffer.from('next') }
    await small.putAll(receivedBlobs([next]), there.project.id, remember)
    await append(wrote('next', nameOf(Buffer.from('next'))))
    await sweepOnce({ db: store.db, log, blobs: small, logger, unknownLogs: none }, inDays(31))
    expect(await readdir(join(dir, 'files', 'packs'))).toEqual(['2.pack'])
    for (const { hash } of whole) expect((await small.size(hash)) !== null).toBe(hash === whole[4]!.hash)
    expect((await buffer((await small.get(whole[4]!.hash)).bytes)).equals(all[4]!)).toBe(true)
    await small.close()
  })

  it('finds bytes that no project has, in every folder, within a few days of sweeps', async () => {
    const orphans = Array.from({ length: 40 }, (_, n) => Buffer.from(`orphan ${n}`))
    for (const bytes of orphans) await blobs.put(nameOf(bytes), chunked(bytes))
    const kept = await stored('kept')
    for (let sweeps = 1; sweeps <= 16; sweeps++) {
      await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: none }, inDays(sweeps / 4))
    }
    for (const bytes of orphans) expect(await blobs.size(nameOf(bytes))).toBeNull()
    expect(await blobs.size(kept)).not.toBeNull()
  })

  it('removes no contents that a log names and the tables do not know, and gives them back to the project of that log', async () => {
    const [file, bundle, shared] = [await stored('file'), await stored('bundle'), await stored('shared')]
    const commit = { kind: 'checkpoint', commit: 'c'.repeat(40), bundle, upTo: 1 }
    await append(wrote('file', file), wrote('shared', shared))
    await append({ jsonrpc: '2.0', method: '_posthog/git_commit', params: commit })
    const orphan = nameOf(Buffer.from('orphan'))
    await blobs.put(orphan, chunked(Buffer.from('orphan')))
    // As tables that were put back from a backup, in which only another project had one of them.
    const other = await createProject(store.db, there.user.id, { name: 'other' }, new Date())
    await store.db.updateTable('blobs').set({ project_id: other.id }).where('hash', '=', shared).execute()
    await store.db.deleteFrom('blobs').where('project_id', '=', there.project.id).execute()
    for (let sweeps = 1; sweeps <= 16; sweeps++)
      await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: none }, inDays(sweeps / 4))
    expect(await blobs.size(orphan)).toBeNull()
    const rows = await store.db.selectFrom('blobs').selectAll().execute()
    const own = rows.filter((row) => row.project_id === there.project.id)
    expect(own.map(({ hash, size, kept }) => ({ hash, size, kept }))).toEqual(
      expect.arrayContaining([
        { hash: file, size: 4, kept: 0 },
        { hash: bundle, size: 6, kept: 1 },
        { hash: shared, size: 6, kept: 0 },
      ]),
    )
    for (const hash of [file, bundle, shared])
      expect(nameOf(await buffer((await blobs.get(hash)).bytes))).toBe(hash)
  })

  it('removes nothing that is unknown while a log cannot be read, which may name it', async () => {
    const orphan = nameOf(Buffer.from('orphan'))
    await blobs.put(orphan, chunked(Buffer.from('orphan')))
    await append(wrote('a', await stored('a')))
    const unreadable = Object.assign(Object.create(log), { read: () => Promise.reject(new Error('EIO')) })
    for (let sweeps = 1; sweeps <= 16; sweeps++)
      await sweepOnce({ db: store.db, log: unreadable, blobs, logger, unknownLogs: none }, inDays(sweeps / 4))
    expect(await blobs.size(orphan)).not.toBeNull()
  })

  it('W9 forgets keys that were used 30 days ago', async () => {
    const call = () =>
      once(store.db, { user: there.user.id, key: 'k', route: 'r', body: 1 }, async () => randomUUID())
    const first = await call()
    await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: none }, inDays(29))
    expect(await call()).toBe(first)
    await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: none }, inDays(31))
    expect(await call()).not.toBe(first)
  })

  it('removes nothing while it cannot be said which logs there are', async () => {
    const hash = await stored('unneeded')
    const failing = () => Promise.reject(new Error('EACCES'))
    await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: failing }, inDays(31))
    expect(await blobs.size(hash)).not.toBeNull()
  })

  it('knows the logs of its runs and of forks under way, and takes an empty file for no log', async () => {
    const folder = join(dir, 'logs')
    const [fork, empty, strange] = ['run_underway1', 'run_emptylog1', 'run_strange01'].map((id) =>
      RunId.parse(id),
    )
    await append(wrote('a', await stored('a')))
    await noteFork(store.db, fork!)
    for (const run of [fork!, strange!]) await writeFile(join(folder, `${run}.jsonl`), '{}\n')
    await writeFile(join(folder, `${empty}.jsonl`), '')
    expect(await unknownLogs(store.db, folder)).toEqual([strange])
  })

  it('stops when much of what it sees is unknown to the tables, and says so', async () => {
    // All in the sixteenth that the sweep of now looks at.
    const now = inDays(0.1)
    const first = Math.floor(now.getTime() / (6 * 3600_000)) % 16
    const strange: BlobHash[] = []
    for (let n = 0; strange.length < 25; n++) {
      const bytes = Buffer.from(`strange ${n}`)
      if (Number.parseInt(nameOf(bytes).charAt(7), 16) !== first) continue
      await blobs.put(nameOf(bytes), chunked(bytes))
      strange.push(nameOf(bytes))
    }
    const said: string[] = []
    const telling = pino({ level: 'error' }, { write: (line: string) => void said.push(line) })
    await sweepOnce({ db: store.db, log, blobs, logger: telling, unknownLogs: none }, now)
    for (const hash of strange) expect(await blobs.size(hash)).not.toBeNull()
    expect(said.join('')).toContain('too many of them are unknown')
  })

  it('sets removed bytes aside for a week, for tables that come back from a backup', async () => {
    const hash = await stored('unneeded')
    const packs = Array.from({ length: 4 }, (_, n) => Buffer.from(`${n}`.repeat(700)))
    const open = () => openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db), { segmentBytes: 1000 })
    const remember = (found: readonly NewBlob[]) =>
      rememberBlobs(store.db, there.project.id, found, new Date())
    let small = await open()
    for (const bytes of packs)
      await small.putAll(receivedBlobs([{ hash: nameOf(bytes), bytes }]), there.project.id, remember)
    const names = [hash, ...packs.map(nameOf)]
    await small.close()
    const rows = await store.db.selectFrom('blobs').selectAll().execute()
    small = await open()
    await sweepOnce({ db: store.db, log, blobs: small, logger, unknownLogs: none }, inDays(31))
    for (const name of names) expect(await small.size(name)).toBeNull()
    await small.close()
    await store.db.insertInto('blobs').values(rows).execute()
    small = await open()
    for (const name of names) expect(nameOf(await buffer((await small.get(name)).bytes))).toBe(name)
    await sweepOnce({ db: store.db, log, blobs: small, logger, unknownLogs: none }, inDays(31))
    expect(await readdir(join(dir, 'files', 'trash'))).not.toEqual([])
    expect(await small.emptyTrash(inDays(6))).toBe(0)
    expect(await small.emptyTrash(inDays(8))).toBeGreaterThan(0)
    expect(await readdir(join(dir, 'files', 'trash'))).toEqual([])
    await small.close()
  })

  it('removes nothing after it was told to stop', async () => {
    const hash = await stored('unneeded')
    await sweepOnce({ db: store.db, log, blobs, logger, unknownLogs: none }, inDays(31), AbortSignal.abort())
    expect(await blobs.size(hash)).not.toBeNull()
  })

  it('lets go at once when it stops between two sweeps', async () => {
    await startSweeping({ db: store.db, log, blobs, logger, unknownLogs: none }).stop()
  })
})
