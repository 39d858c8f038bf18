import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleHash, web } from '@farhand/protocol/events/sample-log'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { newId, type RunId, UserId } from '@farhand/protocol/wire/ids'
import { expect, it, onTestFinished } from 'vitest'
import type { EventLog } from '../log/event-log.ts'
import { openFileEventLog } from '../log/file-event-log.ts'
import { blobsToConsider } from '../store/project-blobs.ts'
import { createProject } from '../store/projects.ts'
import { createRun, findRun, runsOfProject } from '../store/runs.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { createTask } from '../store/tasks.ts'
import { forkRun, removeHalfForks } from './fork-run.ts'

const longAgo = '2020-01-01T00:00:00.000Z'

async function start() {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-fork-'))
  const { db, close } = await openSqliteStore(join(dir, 'store.sqlite'))
  const log = await openFileEventLog({ dir })
  onTestFinished(async () => {
    await log.close()
    await close()
    await rm(dir, { recursive: true })
  })
  const user = newId(UserId, 'usr')
  await db.insertInto('users').values({ id: user, name: 'ada', role: 'owner', created_at: longAgo }).execute()
  const project = await createProject(db, user, { name: 'p' }, new Date())
  const task = await createTask(db, project.id, { title: 't' }, new Date())
  const at = { project: project.id, task: task.id }
  const made = await createRun(db, at, {}, new Date())
  const from = (await findRun(db, { run: made.id }))!
  const forkOf = async (run: RunId, log: EventLog, event: number, key?: string) => {
    const body = { fork: { run, event } }
    const of = (await findRun(db, { run }))!
    return forkRun({ db, log }, { at, from: of, body, by: web, call: { user, key, route: 'runs', body } })
  }
  const fork = (log: EventLog, event: number, key?: string) => forkOf(from.id, log, event, key)
  const logs = async () => (await readdir(dir)).filter((name) => name.endsWith('.jsonl'))
  return { db, log, project: project.id, from, fork, forkOf, logs }
}

const file = (letter: string) => ({
  jsonrpc: '2.0' as const,
  method: '_posthog/file_sync',
  params: { path: `${letter}.txt`, action: 'created', hash: sampleHash(letter) },
})

it('W39 W25 a blob that the log of a fork names is in use again, even if it was unused for long', async () => {
  const { db, log, project, from, fork } = await start()
  await log.append(from.id, () => ({ by: web, notifications: [file('a'), file('b')] }))
  const rows = [sampleHash('a'), sampleHash('b')].map((hash) => ({
    project_id: project,
    hash,
    size: 1,
    used_at: longAgo,
    kept: 0 as const,
    segment: null,
    start: null,
  }))
  await db.insertInto('blobs').values(rows).execute()
  const unused = async (): Promise<BlobHash[]> => {
    const found = await blobsToConsider(db, project, new Date('2021-01-01'), { after: null, limit: 10 })
    return found.map(({ hash }) => hash)
  }
  expect(await unused()).toEqual([sampleHash('a'), sampleHash('b')])
  await fork(log, 1)
  expect(await unused()).toEqual([sampleHash('b')])
})

it('W39 a fork that fails half-way makes no run, and the same key makes one later', async () => {
  const { db, log, project, from, fork, logs } = await start()
  await log.append(from.id, () => ({ by: web, notifications: [file('a')] }))
  const failing: EventLog = Object.assign(Object.create(log), {
    append: () => Promise.reject(new Error('the hub dies here')),
  })
  await expect(fork(failing, 1, 'k')).rejects.toThrow('dies')
  expect(await runsOfProject(db, project)).toEqual([from.id])
  expect(await logs()).toEqual([`${from.id}.jsonl`])
  const run = await fork(log, 1, 'k')
  expect((await fork(log, 1, 'k')).id).toBe(run.id)
  expect((await runsOfProject(db, project)).length).toBe(2)
  expect(await log.head(run.id)).toMatchObject({ lastId: 2 })
})

it('W39 the next hub removes what a hub left that died in the middle of a fork, and nothing else', async () => {
  const { log, from, fork, logs, db } = await start()
  await log.append(from.id, () => ({ by: web, notifications: [file('a')] }))
  const whole = await fork(log, 1)
  const dies = () => Promise.reject(new Error('the hub dies here'))
  const dying: EventLog = Object.assign(Object.create(log), { append: dies, remove: dies })
  await expect(fork(dying, 1)).rejects.toThrow('dies')
  expect((await logs()).length).toBe(3)
  await removeHalfForks({ db, log })
  expect((await logs()).sort()).toEqual([`${from.id}.jsonl`, `${whole.id}.jsonl`].sort())
  expect(await log.head(whole.id)).toMatchObject({ lastId: 2 })
})

it('W39 a run that came of a fork keeps its log, also where the tables are of a backup that was made during the fork', async () => {
  const { log, from, fork, logs, db } = await start()
  await log.append(from.id, () => ({ by: web, notifications: [file('a')] }))
  const run = await fork(log, 1)
  await log.append(run.id, () => ({ by: web, notifications: [file('b')] }))
  const asItWas = async () => {
    await db.deleteFrom('runs').where('id', '=', run.id).execute()
    await db.insertInto('forks_under_way').values({ run_id: run.id }).execute()
  }
  await asItWas()
  await removeHalfForks({ db, log })
  expect((await logs()).sort()).toEqual([`${from.id}.jsonl`, `${run.id}.jsonl`].sort())
  expect(await log.head(run.id)).toMatchObject({ lastId: 3 })
})

it('W39 a fork of a fork that was cut short is removed, too', async () => {
  const { log, from, fork, logs, db, forkOf } = await start()
  await log.append(from.id, () => ({ by: web, notifications: [file('a')] }))
  const first = await fork(log, 1)
  await log.append(first.id, () => ({ by: web, notifications: [file('b')] }))
  const dies = () => Promise.reject(new Error('the hub dies here'))
  const dying: EventLog = Object.assign(Object.create(log), { append: dies, remove: dies })
  await expect(forkOf(first.id, dying, 3)).rejects.toThrow('dies')
  expect((await logs()).length).toBe(3)
  await removeHalfForks({ db, log })
  expect((await logs()).length).toBe(2)
  expect((await forkOf(first.id, log, 3)).id).not.toBe(first.id)
})
