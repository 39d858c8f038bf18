import { laptop, web } from '@farhand/protocol/events/sample-log'
import type { RunId } from '@farhand/protocol/wire/ids'
import { beforeEach, describe, expect, it } from 'vitest'
import { type DiskTrouble, SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import type { EventLog } from './event-log.ts'
import { openFileEventLog } from './file-event-log.ts'
import { everything, said } from './log-under-test.ts'

const run = 'run_fullfull1' as RunId
const path = `/logs/${run}.jsonl`

let troubles: Partial<Record<string, DiskTrouble[]>>
let disk: SimulatedDisk
let log: EventLog

beforeEach(async () => {
  troubles = {}
  disk = new SimulatedDisk({ random: () => 0.9, trouble: (what) => troubles[what]?.shift() ?? null })
  log = await openFileEventLog({ dir: '/logs', disk })
})

const append = (...texts: string[]) => log.append(run, () => ({ by: web, notifications: texts.map(said) }))
const texts = async () => (await everything(log, run)).map(({ notification }) => notification.params?.text)

describe('a disk that fails', () => {
  it('W10 when it is full half-way: 503, nothing of the batch stays, readers read on, later appends go on', async () => {
    await append('a')
    const durable = disk.bytesOf(path)!
    troubles.write = [{ code: 'ENOSPC', afterBytes: 100 }, { code: 'ENOSPC' }]
    const failed = append('b', 'c')
    await expect(failed).rejects.toMatchObject({ code: 'storage.full', status: 503 })
    expect(await texts()).toEqual(['a'])
    expect((await append('d')).ids).toEqual([2])
    expect(disk.bytesOf(path)!.subarray(0, durable.length)).toEqual(durable)
    expect(await texts()).toEqual(['a', 'd'])
  })

  it('W39 of a log that cannot be copied as a whole nothing is left, and the log goes on', async () => {
    const other = 'run_fullfull2' as RunId
    await append('a', 'b', 'c')
    troubles.write = [{ code: 'ENOSPC', afterBytes: 200 }, { code: 'ENOSPC' }]
    await expect(log.copy(run, 2, other)).rejects.toMatchObject({ code: 'storage.full', status: 503 })
    expect(disk.bytesOf(`/logs/${other}.jsonl`)?.length).toBe(0)
    expect(await log.head(other)).toMatchObject({ lastId: 0 })
    expect((await append('d')).ids).toEqual([4])
  })

  it('W10 cuts the bytes of a failed flush, also when no append follows', async () => {
    await append('a')
    const durable = disk.bytesOf(path)
    troubles.write = [{ code: 'EIO', afterBytes: 100 }]
    await expect(append('b')).rejects.toMatchObject({ code: 'log.unavailable' })
    await log.close()
    expect(disk.bytesOf(path)).toEqual(durable)
  })

  it('W10 a write that only took a part is continued', async () => {
    troubles.write = [{ code: 'ENOSPC', afterBytes: 50 }]
    expect((await append('a', 'b')).ids).toEqual([1, 2])
    expect(await texts()).toEqual(['a', 'b'])
  })

  it('W5 fails everything that was admitted on top of what failed', async () => {
    await append('a')
    troubles.write = [{ code: 'EIO' }]
    disk.slowness = 5
    const first = append('b')
    await new Promise(setImmediate)
    const behind = append('c')
    const both = await Promise.allSettled([first, behind])
    const unavailable = { status: 'rejected', reason: { code: 'log.unavailable' } }
    expect(both).toMatchObject([unavailable, unavailable])
    expect((await append('d')).ids).toEqual([2])
  })

  it('W7 forgets the stamps of what did not become durable', async () => {
    const stamped = (seq: number, text: string) =>
      log.append(run, () => ({
        by: laptop,
        notifications: [said(text)],
        producer: { id: 'p', epoch: 0, seq },
      }))
    await stamped(0, 'a')
    troubles.write = [{ code: 'EIO' }]
    await expect(stamped(1, 'b')).rejects.toMatchObject({ code: 'log.unavailable' })
    await expect(stamped(2, 'c')).rejects.toMatchObject({ code: 'producer.gap', details: { expected: 1 } })
    expect((await stamped(1, 'b')).ids).toEqual([2])
  })

  it('W10 admits nothing until the log could be opened again', async () => {
    await append('a')
    troubles.write = [{ code: 'EIO', afterBytes: 30 }]
    troubles.truncate = [{ code: 'EIO' }, { code: 'EIO' }]
    await expect(append('b')).rejects.toMatchObject({ code: 'log.unavailable' })
    await expect(append('c')).rejects.toMatchObject({ code: 'log.unavailable' })
    await expect(append('d')).rejects.toMatchObject({ code: 'log.unavailable' })
    expect(await texts()).toEqual(['a'])
    expect((await append('e')).ids).toEqual([2])
    expect(await texts()).toEqual(['a', 'e'])
  })

  it('W5 a log that could not be made durable under its name is not acknowledged', async () => {
    troubles.sync = [{ code: 'EIO' }]
    await expect(append('a')).rejects.toMatchObject({ code: 'log.unavailable' })
    expect((await append('b')).ids).toEqual([1])
    disk = disk.crash('power-loss')
    log = await openFileEventLog({ dir: '/logs', disk })
    expect(await texts()).toEqual(['b'])
  })

  it('keeps the log open when only its head cannot be saved', async () => {
    troubles.replace = [{ code: 'ENOSPC' }]
    await append('a')
    await log.close()
    log = await openFileEventLog({ dir: '/logs', disk })
    expect(await texts()).toEqual(['a'])
  })
})
