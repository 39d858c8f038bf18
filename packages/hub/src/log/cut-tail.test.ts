import { web } from '@farhand/protocol/events/sample-log'
import type { RunId } from '@farhand/protocol/wire/ids'
import { beforeEach, describe, expect, it } from 'vitest'
import { SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import { openFileEventLog } from './file-event-log.ts'
import { everything, said } from './log-under-test.ts'

const run = 'run_torntorn1' as RunId
const path = `/logs/${run}.jsonl`

let disk: SimulatedDisk
let warnings: string[]
let whole: Buffer

const open = () =>
  openFileEventLog({ dir: '/logs', disk, logger: { warn: (_, message) => warnings.push(message) } })

beforeEach(async () => {
  disk = new SimulatedDisk({ random: () => 0 })
  warnings = []
  const log = await open()
  await log.append(run, () => ({ by: web, notifications: ['a', 'b', 'c'].map(said) }))
  await log.close()
  // As a crash leaves it: the head was saved long before, or never.
  disk.remove(`/logs/${run}.head.json`)
  whole = disk.bytesOf(path)!
})

const lineEnd = (count: number) => {
  let at = 0
  for (let n = 0; n < count; n += 1) at = whole.indexOf('\n', at) + 1
  return at
}

/** Opens the log, appends one event, and tells what is there then. */
async function goOn() {
  const log = await open()
  const { lastId } = await log.head(run)
  await log.append(run, () => ({ by: web, notifications: [said('next')] }))
  const texts = (await everything(log, run)).map(({ notification }) => notification.params?.text)
  await log.close()
  return { lastId, texts }
}

describe('W6 a torn tail', () => {
  it('W6 of one incomplete line is cut at every byte, and the log goes on', async () => {
    for (let size = lineEnd(2) + 1; size < whole.length; size += 1) {
      disk = new SimulatedDisk({ random: () => 0 })
      disk.plant(path, whole.subarray(0, size))
      expect(await goOn()).toEqual({ lastId: 2, texts: ['a', 'b', 'next'] })
    }
    expect(disk.paths().filter((name) => name.includes('cut'))).toEqual([])
    expect(warnings.at(-1)).toContain('not whole')
  })

  it('W6 that ends between two lines loses nothing', async () => {
    disk.plant(path, whole.subarray(0, lineEnd(2)))
    expect(await goOn()).toEqual({ lastId: 2, texts: ['a', 'b', 'next'] })
    expect(warnings).toEqual([])
  })

  it('W6 of zeros, as a lost page leaves it, is cut', async () => {
    disk.plant(path, Buffer.concat([whole.subarray(0, lineEnd(2)), Buffer.alloc(5000)]))
    expect(await goOn()).toEqual({ lastId: 2, texts: ['a', 'b', 'next'] })
  })

  it('W6 with whole lines behind the damage is cut there, and kept beside the log', async () => {
    const damaged = Buffer.from(whole)
    damaged.fill(0, lineEnd(1) + 20, lineEnd(1) + 60)
    disk.plant(path, damaged)
    expect(await goOn()).toEqual({ lastId: 1, texts: ['a', 'next'] })
    expect(disk.bytesOf(`/logs/${run}.cut-1`)).toEqual(damaged.subarray(lineEnd(1)))
    expect(warnings.at(-1)).toContain('saved beside')
  })

  it('W6 never overwrites what an earlier repair has kept', async () => {
    const torn = Buffer.from(whole)
    torn.fill(0, lineEnd(1), lineEnd(1) + 60)
    for (const kept of ['cut-1', 'cut-2']) {
      disk.plant(path, torn)
      disk.remove(`/logs/${run}.head.json`)
      expect((await goOn()).texts).toEqual(['a', 'next'])
      expect(disk.bytesOf(`/logs/${run}.${kept}`)).toEqual(torn.subarray(lineEnd(1)))
    }
  })

  it('W6 is durable before a reader sees it: lines of a killed process survive a power loss afterwards', async () => {
    disk = new SimulatedDisk({ random: () => 0 })
    const file = (await disk.open(path, true))!
    void file.write(whole, 0)
    disk = disk.crash('kill')
    expect(disk.bytesOf(path)).toEqual(whole)
    const log = await open()
    expect((await log.head(run)).lastId).toBe(3)
    disk = disk.crash('power-loss')
    expect(disk.bytesOf(path)).toEqual(whole)
  })

  it('W6 stays cut: a cut that a killed process did not wait for is durable before anything is written behind it', async () => {
    disk = new SimulatedDisk({ random: () => 0 })
    disk.plant(path, whole.subarray(0, lineEnd(2)))
    const log = await open()
    await log.head(run)
    await log.close()
    const head = disk.bytesOf(`/logs/${run}.head.json`)!
    disk = new SimulatedDisk({ random: () => 0.9 })
    disk.plant(path, whole)
    disk.plant(`/logs/${run}.head.json`, head)
    void (await disk.open(path, false))!.truncate(lineEnd(2))
    disk = disk.crash('kill')
    expect((await (await open()).head(run)).lastId).toBe(2)
    disk = disk.crash('power-loss', { random: () => 0 })
    expect(disk.bytesOf(path)).toEqual(whole.subarray(0, lineEnd(2)))
  })
})
