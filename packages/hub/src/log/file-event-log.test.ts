import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { web } from '@farhand/protocol/events/sample-log'
import type { RunId } from '@farhand/protocol/wire/ids'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventLogContract } from './event-log.contract.ts'
import type { EventLog } from './event-log.ts'
import { openFileEventLog } from './file-event-log.ts'
import { everything, said } from './log-under-test.ts'

const run = 'run_filefile1' as RunId

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-log-'))
})
afterEach(() => rm(dir, { recursive: true }))

const append = (log: EventLog, ...texts: string[]) =>
  log.append(run, () => ({ by: web, notifications: texts.map(said) }))

describe('the event log in files', () => {
  eventLogContract(async (now) => {
    let log = await openFileEventLog({ dir, now })
    return {
      log,
      reopen: async () => {
        await log.close()
        log = await openFileEventLog({ dir, now })
        return log
      },
    }
  })

  it('keeps exactly the bytes it serves', async () => {
    const log = await openFileEventLog({ dir: join(dir, 'made', 'here') })
    await append(log, 'a', 'b')
    const chunk = await log.read(run, 0, 1000)
    expect(await readFile(join(dir, 'made', 'here', `${run}.jsonl`))).toEqual(chunk?.bytes)
    await log.close()
  })

  it('makes no file for a run that was only looked at', async () => {
    const log = await openFileEventLog({ dir })
    expect(await log.head(run)).toMatchObject({ lastId: 0, bytes: 0, runnerSeq: null })
    expect(await log.read(run, 0, 1000)).toBeNull()
    await log.close()
    expect(await readdir(dir)).toEqual([])
  })

  it('serves readers at the tail from memory, all of them with the same object', async () => {
    const log = await openFileEventLog({ dir })
    await append(log, 'a')
    await append(log, 'b')
    await append(log, 'c')
    expect(log.recent(run, 0, 1000)).toMatchObject({ firstId: 1, lastId: 3 })
    expect(log.recent(run, 0, 1000)).toBe(log.recent(run, 0, 1000))
    expect(log.recent(run, 2, 1000)).toBe(log.recent(run, 2, 1000))
    expect(log.recent(run, 3, 1000)).toBeNull()
    await log.close()
  })

  it('W20 remembers no more of the tail than it was told to', async () => {
    const log = await openFileEventLog({ dir, tailBytes: 1000 })
    for (let n = 0; n < 50; n += 1) await append(log, `event ${n}`)
    expect(log.recent(run, 49, 1000)?.firstId).toBe(50)
    expect(log.recent(run, 0, 1000)).toBeUndefined()
    expect((await everything(log, run)).length).toBe(50)
    await log.close()
  })

  it('lets go of runs that are not used and picks them up again', async () => {
    const log = await openFileEventLog({ dir, openRunsMax: 3 })
    const runs = Array.from({ length: 20 }, (_, n) => `run_manymany${n}` as RunId)
    for (const round of [1, 2, 3]) {
      const appended = await Promise.all(
        runs.map((each) => log.append(each, () => ({ by: web, notifications: [said(`round ${round}`)] }))),
      )
      expect(appended.map(({ ids }) => ids)).toEqual(runs.map(() => [round]))
    }
    for (const each of runs) expect((await everything(log, each)).length).toBe(3)
    await log.close()
  })

  it('opens a log whose head is missing, damaged, of another fold or of another log', async () => {
    const headFile = join(dir, `${run}.head.json`)
    let log = await openFileEventLog({ dir })
    await append(log, 'a', 'b')
    const head = await log.head(run)
    await log.close()
    const saved = await readFile(headFile, 'utf8')
    const damages = [
      '',
      'not JSON',
      saved.slice(0, -20),
      saved.replace(/"fold":"../, '"fold":"xx'),
      saved.replace(/"lastId":\d+/, '"lastId":1'),
      saved.replace(/"timeMs":\d/, '"timeMs":9'),
    ]
    for (const damage of damages) {
      await writeFile(headFile, damage)
      log = await openFileEventLog({ dir })
      expect(await log.head(run)).toEqual(head)
      await log.close()
      expect(await readFile(headFile, 'utf8')).toBe(saved)
    }
  })
})
