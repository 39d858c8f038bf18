import { web } from '@farhand/protocol/events/sample-log'
import type { RunId } from '@farhand/protocol/wire/ids'
import { beforeEach, describe, expect, it } from 'vitest'
import { SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import { openFileEventLog } from './file-event-log.ts'
import { everything, said } from './log-under-test.ts'

const run = 'run_damaged01' as RunId
const path = `/logs/${run}.jsonl`
const headPath = `/logs/${run}.head.json`

let disk: SimulatedDisk
let reports: Record<string, unknown>[]
let whole: Buffer
let head: Buffer

const open = (writeBytesMax = 1_000_000) =>
  openFileEventLog({
    dir: '/logs',
    disk,
    writeBytesMax,
    logger: { warn: (about, message) => reports.push({ ...about, message }) },
  })

beforeEach(async () => {
  disk = new SimulatedDisk({ random: () => 0 })
  reports = []
  const log = await open()
  await log.append(run, () => ({ by: web, notifications: ['a', 'b', 'c', 'd'].map(said) }))
  await log.close()
  whole = disk.bytesOf(path)!
  head = disk.bytesOf(headPath)!
})

it('W53 a changed letter inside a text is noticed when the line is read, and when the log is opened', async () => {
  const at = whole.indexOf('"c"') + 1
  const log = changed((bytes) => bytes.write('x', at))
  expect(await lastIdOf(log, null)).toBeNull()
  disk = new SimulatedDisk({ random: () => 0 })
  disk.plant(path, log)
  disk.plant(headPath, head)
  const opened = await open()
  await expect(opened.read(run, 0, 100_000)).rejects.toMatchObject({ code: 'log.unavailable' })
  await opened.close()
})

it('a log that was found damaged is not read again until its files change', async () => {
  disk = new SimulatedDisk({ random: () => 0 })
  disk.plant(
    path,
    changed((bytes) => bytes.write('x', 3)),
  )
  const opened = await open()
  reports = []
  for (let n = 0; n < 5; n++)
    await expect(opened.head(run)).rejects.toMatchObject({ code: 'log.unavailable' })
  expect(reports).toHaveLength(1)
  disk.plant(path, whole)
  expect((await opened.head(run)).lastId).toBe(4)
  await opened.close()
})

const lineStart = (line: number) => {
  let at = 0
  for (let n = 1; n < line; n += 1) at = whole.indexOf('\n', at) + 1
  return at
}

const changed = (change: (bytes: Buffer) => void) => {
  const bytes = Buffer.from(whole)
  change(bytes)
  return bytes
}

const ofAnotherFold = () =>
  Buffer.from(JSON.stringify({ ...JSON.parse(`${head}`), fold: 'x', view: 'other' }))

/** Puts these files there, opens the log and tells its last id, or null if it was refused and left as it was. */
async function lastIdOf(log: Buffer | null, itsHead: Buffer | null, writeBytesMax?: number) {
  disk = new SimulatedDisk({ random: () => 0 })
  if (log) disk.plant(path, log)
  if (itsHead) disk.plant(headPath, itsHead)
  const opened = await open(writeBytesMax)
  try {
    return (await opened.head(run)).lastId
  } catch (error) {
    const unavailable = { code: 'log.unavailable', message: expect.stringContaining('damaged') }
    expect(error).toMatchObject(unavailable)
    const next = opened.append(run, () => ({ by: web, notifications: [said('next')] }))
    await expect(next).rejects.toMatchObject(unavailable)
    await opened.close()
    expect([disk.bytesOf(path), disk.bytesOf(headPath)]).toEqual([log, itsHead])
    expect(disk.paths().filter((name) => name.includes('cut'))).toEqual([])
    return null
  }
}

describe('W6 a log that is damaged, not torn', () => {
  it('W6 a single changed byte never costs lines that could still be read, with or without a head', async () => {
    // Without its last line feed, and without a head, the last line is like one that was never written to its end.
    for (let at = 0; at < whole.length - 1; at += 1) {
      const bytes = changed((copy) => {
        copy[at]! ^= 1
      })
      for (const itsHead of [null, head, ofAnotherFold()]) {
        expect((await lastIdOf(bytes, itsHead)) ?? 4).toBe(4)
      }
    }
  })

  it('W4 W6 a line that cannot be read is refused where no crash leaves such a thing, and the report says what to do', async () => {
    const at = lineStart(2)
    const damaged = changed((bytes) => {
      bytes[at + 1] = 0x2e
    })
    expect(await lastIdOf(damaged, null)).toBeNull()
    expect(reports.at(-1)).toMatchObject({ run, file: path, at, size: whole.length })
    expect(reports.at(-1)?.message).toContain('backup')
    disk.plant(path, damaged.subarray(0, at))
    const log = await open()
    expect((await everything(log, run)).length).toBe(1)
  })

  it('W4 W6 a line that is missing is refused', async () => {
    const skipping = Buffer.concat([whole.subarray(0, lineStart(2)), whole.subarray(lineStart(3))])
    expect(await lastIdOf(skipping, null)).toBeNull()
  })

  it('W6 zeros are refused where a head says that there were durable bytes, also one of another fold', async () => {
    for (const line of [1, 2, 4]) {
      const zeros = changed((bytes) => bytes.fill(0, lineStart(line) + 20, lineStart(line) + 40))
      expect(await lastIdOf(zeros, ofAnotherFold())).toBeNull()
      expect(await lastIdOf(zeros, null)).toBe(line - 1)
    }
    const lastLine = changed((bytes) => bytes.fill(0, lineStart(4) + 20, lineStart(4) + 40))
    expect(await lastIdOf(lastLine, head)).toBeNull()
  })

  it('W6 zeros are refused further from the end than a write can leave them', async () => {
    const zeroAt = lineStart(2) + 20
    const zeros = changed((bytes) => bytes.fill(0, zeroAt, zeroAt + 20))
    expect(await lastIdOf(zeros, null, whole.length - zeroAt)).toBe(1)
    expect(await lastIdOf(zeros, null, whole.length - zeroAt - 1)).toBeNull()
  })

  it('W6 a log that is shorter than its head knows it, or gone, is refused', async () => {
    for (const bytes of [whole.subarray(0, lineStart(4)), whole.subarray(0, -1), Buffer.alloc(0), null]) {
      expect(await lastIdOf(bytes, head)).toBeNull()
      expect(await lastIdOf(bytes, ofAnotherFold())).toBeNull()
    }
  })
})
