import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFileEventLog } from '../log/file-event-log.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { aRun } from '../store/store.contract.ts'
import { noteNotWaiting, noteThenStore } from './note-waiting.ts'

const params = { questionId: 'qst_00000001', question: 'Which?' }
const question: Notification = { jsonrpc: '2.0', method: '_posthog/agent_question', params }
const answer: Notification = {
  ...question,
  method: '_posthog/user_response',
  params: { ...params, answer: 'a' },
}

async function begin() {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-waiting-'))
  const { db, close } = await openSqliteStore(join(dir, 'store.sqlite'))
  const log = await openFileEventLog({ dir: join(dir, 'logs') })
  onTestFinished(async () => {
    await log.close()
    await close()
    await rm(dir, { recursive: true })
  })
  const run = (await aRun(db)).run.id
  const isNoted = async () =>
    (await db.selectFrom('runs').select('may_wait').executeTakeFirstOrThrow()).may_wait === 1
  const store = (notification: Notification) =>
    log.append(run, () => ({ by: { kind: 'hub' }, notifications: [notification] }))
  return { db, log, run, isNoted, store }
}

describe('W23 the note that a run may wait for a user', () => {
  it('is noted before its question is stored: a hub that dies in between has noted too much, never too little', async () => {
    const { db, run, isNoted } = await begin()
    const dies = async () => {
      expect(await isNoted()).toBe(true)
      throw new Error('killed')
    }
    await expect(noteThenStore(db, run, [question], dies)).rejects.toThrow('killed')
    expect(await isNoted()).toBe(true)
  })

  it('is not taken back while a question is on its way to the log, nor while one is open, but after that', async () => {
    const { db, log, run, isNoted, store } = await begin()
    const whoLooks = () => noteNotWaiting({ db, log }, run)
    await noteThenStore(db, run, [question], async () => {
      await whoLooks()
      return store(question)
    })
    expect(await isNoted()).toBe(true)
    await whoLooks()
    expect(await isNoted()).toBe(true)
    await store(answer)
    await whoLooks()
    expect(await isNoted()).toBe(false)
  })

  it('is not noted by an answer if no question is open', async () => {
    const { db, run, isNoted, store } = await begin()
    await noteThenStore(db, run, [answer], () => store(answer))
    expect(await isNoted()).toBe(false)
  })
})
