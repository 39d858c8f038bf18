import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EventLog } from '../log/event-log.ts'
import { openFileEventLog } from '../log/file-event-log.ts'
import { LogReaders, type Outlet } from '../log/follow.ts'
import { createProject } from '../store/projects.ts'
import { createRun, findRun, requestClose, runsToClose } from '../store/runs.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { createTask } from '../store/tasks.ts'
import { Closer } from './closer.ts'
import type { OwnedRun } from './run-directory.ts'

const silentOutlet: Outlet = { write: () => true, live() {}, end() {}, fenced() {}, fail() {} }
const graceMs = 30_000
const awayMs = 5_000

async function start(through = (log: EventLog) => log, givesSigns = () => false) {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-closer-'))
  const { db, close } = await openSqliteStore(join(dir, 'store.sqlite'))
  const log = await openFileEventLog({ dir: join(dir, 'logs') })
  onTestFinished(async () => {
    await log.close()
    await close()
    await rm(dir, { recursive: true })
  })
  const user = newId(UserId, 'usr')
  await db
    .insertInto('users')
    .values({ id: user, name: 'ada', role: 'owner', created_at: new Date().toISOString() })
    .execute()
  const project = await createProject(db, user, { name: 'p' }, new Date())
  const task = await createTask(db, project.id, { title: 't' }, new Date())
  const made = await createRun(db, { project: project.id, task: task.id }, {}, new Date())
  const run = (await findRun(db, { project: project.id, task: task.id, run: made.id }))!
  const readers: LogReaders = new LogReaders(log, {
    came: (id) => closer.runnerCame(id),
    left: (id) => closer.runnerLeft(id),
  })
  const errors: unknown[] = []
  const closer = new Closer({
    db,
    log: through(log),
    readers,
    graceMs,
    awayMs,
    givesSigns,
    onError: (error) => errors.push(error),
  })
  return { db, log, run, readers, closer, errors }
}

const say = (log: EventLog, run: OwnedRun, method: string, params = {}) =>
  log.append(run.id, () => ({ by: { kind: 'hub' }, notifications: [{ jsonrpc: '2.0', method, params }] }))
const wish = (log: EventLog, run: OwnedRun) => () => say(log, run, '_posthog/close')
const statusOf = async (log: EventLog, run: OwnedRun) => (await log.head(run.id)).view.status

/** As if it had been made after the hub's start. */
const made = (run: OwnedRun): OwnedRun => ({ ...run, createdAt: new Date(Date.now() + 60_000).toISOString() })

/** Lets a deed that a timer began come to its end on the real disk. */
const settled = (log: EventLog, run: OwnedRun) =>
  vi.waitFor(async () => expect(await statusOf(log, run)).toBe('closed'), { interval: 5, timeout: 60_000 })

function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('closing a run', () => {
  it('W22 without a runner it is closed at once', async () => {
    const { log, run, closer } = await start()
    await closer.close(run, wish(log, run))
    expect(await statusOf(log, run)).toBe('closed')
  })

  it('W22 one that sleeps has no runner to wait for, also right after a start of the hub', async () => {
    const { log, run, closer } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: 'sbx', generation: 1 })
    await say(log, run, '_posthog/status', { status: 'asleep' })
    await closer.close(run, wish(log, run))
    expect(await statusOf(log, run)).toBe('closed')
  })

  it('W22 a request that was noted, and in the log, before a crash is carried out by the next hub', async () => {
    const { db, log, run, closer } = await start()
    await requestClose(db, run.id, new Date())
    await say(log, run, '_posthog/close')
    holdTime()
    await closer.start()
    vi.advanceTimersByTime(graceMs)
    vi.useRealTimers()
    await settled(log, run)
  })

  it('W22 a note whose request never reached the log closes nothing', async () => {
    const { log, run, closer } = await start()
    await expect(closer.close(run, () => Promise.reject(new Error('disk')))).rejects.toThrow('disk')
    await closer.start()
    expect((await log.head(run.id)).view).toMatchObject({ closing: false, status: 'queued' })
  })

  it('W22 a runner that loses its connection for a moment keeps its time; one that stays away does not', async () => {
    const { log, run, readers, closer, errors } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    holdTime()
    const first = readers.follow(run.id, 0, silentOutlet, 1)
    await closer.close(run, wish(log, run))
    first.stop()
    vi.advanceTimersByTime(awayMs - 1)
    const second = readers.follow(run.id, 0, silentOutlet, 1)
    vi.advanceTimersByTime(awayMs * 2)
    expect((await log.head(run.id)).view.closing).toBe(true)
    second.stop()
    vi.advanceTimersByTime(awayMs)
    vi.useRealTimers()
    await settled(log, run)
    expect(errors).toEqual([])
  })

  it('W22 a runner that is stopped keeps its connection, and is not waited for longer than it is silent', async () => {
    const { log, run, readers, closer } = await start(
      (log) => log,
      () => true,
    )
    await say(log, run, '_posthog/session_start', { sandboxId: 'sbx', generation: 1 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    readers.follow(run.id, 0, silentOutlet, 1)
    await closer.close(run, wish(log, run))
    // As long as it gives signs of life it has its time.
    for (let second = 0; second < 20; second++) {
      readers.heard(run.id, 1)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect((await log.head(run.id)).view.closing).toBe(true)
    for (let second = 0; second < 9; second++) await vi.advanceTimersByTimeAsync(1_000)
    vi.useRealTimers()
    await settled(log, run)
  })

  it('W22 a write that failed on a full disk is tried again until it succeeds', async () => {
    let isFull = false
    const { db, log, run, closer, errors } = await start(
      (log) =>
        new Proxy(log, {
          get: (real, name: keyof EventLog) =>
            name === 'append' && isFull ? () => Promise.reject(new Error('no space')) : real[name],
        }),
    )
    onTestFinished(() => closer.stop())
    holdTime()
    await closer.close(run, async () => {
      await say(log, run, '_posthog/close')
      isFull = true
    })
    expect(errors).toHaveLength(1)
    expect((await log.head(run.id)).view.closing).toBe(true)
    isFull = false
    vi.advanceTimersByTime(awayMs)
    vi.useRealTimers()
    await settled(log, run)
    await vi.waitFor(async () => expect(await runsToClose(db)).toEqual([]), { interval: 5, timeout: 60_000 })
    expect(errors).toHaveLength(1)
  })

  it('W22 W8 a runner that says that it is done is not waited for; that of an older generation does not count', async () => {
    const { log, run, readers, closer, db } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 2 })
    holdTime()
    readers.follow(run.id, 0, silentOutlet, 2)
    await closer.runnerDone(run.id, 2)
    expect(await statusOf(log, run)).toBe('active')
    await closer.close(run, wish(log, run))
    await closer.runnerDone(run.id, 1)
    expect((await log.head(run.id)).view.closing).toBe(true)
    await closer.runnerDone(run.id, 2)
    expect(await statusOf(log, run)).toBe('closed')
    expect(vi.getTimerCount()).toBe(0)
    expect(await runsToClose(db)).toEqual([])
    const { lastId } = await log.head(run.id)
    await closer.runnerDone(run.id, 2)
    expect((await log.head(run.id)).lastId).toBe(lastId)
  })

  it('W22 a runner may be done before the request to close is answered', async () => {
    const { log, run, readers, closer, db } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    holdTime()
    readers.follow(run.id, 0, silentOutlet, 1)
    await closer.close(run, async () => {
      await wish(log, run)()
      await closer.runnerDone(run.id, 1)
    })
    expect(await statusOf(log, run)).toBe('closed')
    expect(vi.getTimerCount()).toBe(0)
    expect(await runsToClose(db)).toEqual([])
  })

  it('W22 a runner that has begun and does not listen yet is waited for, but not for ever', async () => {
    const { log, run, closer, errors } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    holdTime()
    closer.runnerBegan(run.id, 1)
    await closer.close(made(run), wish(log, run))
    vi.advanceTimersByTime(awayMs - 1)
    expect((await log.head(run.id)).view.closing).toBe(true)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await settled(log, run)
    expect(errors).toEqual([])
  })

  it('W22 a runner that listens soon after it has begun has the whole of the time that is left', async () => {
    const { log, run, readers, closer } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    holdTime()
    closer.runnerBegan(run.id, 1)
    await closer.close(made(run), wish(log, run))
    vi.advanceTimersByTime(awayMs - 1)
    readers.follow(run.id, 0, silentOutlet, 1)
    vi.advanceTimersByTime(graceMs - awayMs)
    expect((await log.head(run.id)).view.closing).toBe(true)
    await closer.runnerDone(run.id, 1)
    expect(await statusOf(log, run)).toBe('closed')
  })

  it('W22 one that has read the log and has not yet sent the events that the runner before left is waited for, too', async () => {
    const { log, run, readers, closer } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 2 })
    holdTime()
    closer.runnerBegan(run.id, 2)
    readers.follow(run.id, 0, silentOutlet, 2).stop()
    // One that was shut out, and does not know it.
    closer.runnerSpoke(run.id, 1)
    await closer.close(made(run), wish(log, run))
    expect((await log.head(run.id)).view.closing).toBe(true)
    await closer.runnerDone(run.id, 2)
    expect(await statusOf(log, run)).toBe('closed')
  })

  it('W22 one that posts and does not read the log is not waited for', async () => {
    const { log, run, closer } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    closer.runnerBegan(run.id, 1)
    closer.runnerSpoke(run.id, 1)
    await closer.close(made(run), wish(log, run))
    expect(await statusOf(log, run)).toBe('closed')
  })

  it('W22 one that began long ago and never connected counts as gone', async () => {
    const { log, run, closer } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    holdTime()
    closer.runnerBegan(run.id, 1)
    vi.advanceTimersByTime(awayMs)
    await closer.close(made(run), wish(log, run))
    expect(await statusOf(log, run)).toBe('closed')
  })

  it('W22 a run opened and closed again gives its runner the whole time again', async () => {
    const { log, run, readers, closer } = await start()
    await say(log, run, '_posthog/session_start', { sandboxId: null, generation: 1 })
    holdTime()
    readers.follow(run.id, 0, silentOutlet, 1)
    await closer.close(run, wish(log, run))
    vi.advanceTimersByTime(graceMs - 10)
    await say(log, run, '_posthog/status', { status: 'queued', reason: 'opened again' })
    await closer.opened(run.id)
    await closer.close(run, wish(log, run))
    vi.advanceTimersByTime(graceMs - 10)
    expect((await log.head(run.id)).view.closing).toBe(true)
    vi.advanceTimersByTime(10)
    vi.useRealTimers()
    await settled(log, run)
  })
})
