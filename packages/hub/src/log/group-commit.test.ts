import { web } from '@farhand/protocol/events/sample-log'
import type { RunId } from '@farhand/protocol/wire/ids'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Disk, DiskFile } from './disk/disk.ts'
import { SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import type { EventLog } from './event-log.ts'
import { openFileEventLog } from './file-event-log.ts'
import { said } from './log-under-test.ts'

const run = 'run_groupgrp1' as RunId
const slowRun = 'run_groupgrp2' as RunId

/** A disk that counts, and whose writes to some files wait until they are let through. */
class WatchedDisk implements Disk {
  readonly #disk = new SimulatedDisk({ random: () => 0 })
  writes = 0
  bytesRead = 0
  openFiles = 0
  held: (() => void)[] = []
  holds = (_path: string) => false
  makeFolder = (path: string) => this.#disk.makeFolder(path)
  load = (path: string) => this.#disk.load(path)
  replace = (path: string, bytes: Buffer) => this.#disk.replace(path, bytes)
  unlink = (path: string) => this.#disk.unlink(path)
  syncFolder = (path: string) => this.#disk.syncFolder(path)

  async open(path: string, create: boolean): Promise<DiskFile | null> {
    const file = await this.#disk.open(path, create)
    if (!file) return null
    this.openFiles += 1
    return {
      ...file,
      read: (into, position) => {
        this.bytesRead += into.length
        return file.read(into, position)
      },
      write: async (bytes, position) => {
        this.writes += 1
        if (this.holds(path)) await new Promise<void>((resolve) => this.held.push(resolve))
        return file.write(bytes, position)
      },
      close: () => {
        this.openFiles -= 1
        return file.close()
      },
    }
  }
}

let disk: WatchedDisk
let log: EventLog

beforeEach(async () => {
  disk = new WatchedDisk()
  log = await openFileEventLog({ dir: '/logs', disk, openRunsMax: 4 })
})

const append = (to: RunId, ...texts: string[]) =>
  log.append(to, () => ({ by: web, notifications: texts.map(said) }))

describe('group commit', () => {
  it('W5 appends that arrive together share one flush', async () => {
    await append(run, 'first')
    const appended = await Promise.all(Array.from({ length: 64 }, (_, n) => append(run, `event ${n}`)))
    expect(disk.writes).toBe(2)
    expect(appended.map(({ ids }) => ids[0])).toEqual(Array.from({ length: 64 }, (_, n) => n + 2))
    // Each of them is there, at the id that its writer was told.
    const lines = (await log.read(run, 1, 1_000_000))!.bytes.toString().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      appended.map(({ ids }, n) => ({ id: ids[0], notification: said(`event ${n}`) })),
    )
  })

  it('W5 what arrives during a flush shares the next one', async () => {
    await append(run, 'first')
    disk.holds = () => true
    const first = append(run, 'a')
    while (disk.held.length === 0) await new Promise(setImmediate)
    const later = Promise.all([append(run, 'b'), append(run, 'c')])
    disk.holds = () => false
    for (const go of disk.held) go()
    await Promise.all([first, later])
    expect(disk.writes).toBe(3)
  })

  it("W5 one run's slow flush holds up no other run", async () => {
    await append(slowRun, 'first')
    disk.holds = (path) => path.includes(slowRun)
    const slow = append(slowRun, 'slow')
    while (disk.held.length === 0) await new Promise(setImmediate)
    for (let n = 0; n < 10; n += 1) expect((await append(run, 'fast')).ids).toEqual([n + 1])
    expect((await log.head(slowRun)).lastId).toBe(1)
    for (const go of disk.held) go()
    expect((await slow).ids).toEqual([2])
  })

  it('W7 W9 a duplicate is acknowledged no earlier than its original', async () => {
    await append(run, 'first')
    disk.holds = () => true
    const keyed = () =>
      log.append(run, () => ({ by: web, notifications: [said('a')], key: { key: 'k', body: 'a' } }))
    const original = keyed()
    while (disk.held.length === 0) await new Promise(setImmediate)
    let acknowledged = false
    const duplicate = keyed().then((appended) => {
      acknowledged = true
      return appended
    })
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
    expect(acknowledged).toBe(false)
    for (const go of disk.held) go()
    expect(await duplicate).toEqual(await original)
  })
})

describe('a long log', () => {
  it('is opened and read at its end without reading the rest', async () => {
    for (let n = 0; n < 20; n += 1)
      await append(run, ...Array.from({ length: 1000 }, (_, m) => `${n} ${m} ${'x'.repeat(100)}`))
    const { bytes } = await log.head(run)
    await log.close()
    log = await openFileEventLog({ dir: '/logs', disk })
    disk.bytesRead = 0
    const last = await log.read(run, 19_990, 10_000)
    expect(last).toMatchObject({ firstId: 19_991, lastId: 20_000 })
    expect(bytes).toBeGreaterThan(4_000_000)
    expect(disk.bytesRead).toBeLessThan(100_000)
  })

  it('is read on from where the reader stopped without a search', async () => {
    await append(run, ...Array.from({ length: 20_000 }, (_, n) => `${n} ${'x'.repeat(100)}`))
    await log.close()
    log = await openFileEventLog({ dir: '/logs', disk })
    const { bytes } = await log.head(run)
    disk.bytesRead = 0
    let after = 0
    for (let chunk = await log.read(run, after, 65_536); chunk; ) {
      after = chunk.lastId
      chunk = await log.read(run, after, 65_536)
    }
    expect(after).toBe(20_000)
    expect(disk.bytesRead).toBeLessThan(bytes * 1.1)
  })

  it('is closed when it was not used for a while, and opened again', async () => {
    log = await openFileEventLog({ dir: '/logs', disk, idleMs: 10 })
    await append(run, 'a')
    while (disk.openFiles > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await append(run, 'b')).ids).toEqual([2])
    await log.close()
  })

  it('W20 is read once for all readers that ask for the same place at the same time', async () => {
    await append(run, 'a', 'b')
    await log.close()
    log = await openFileEventLog({ dir: '/logs', disk })
    const chunks = await Promise.all(Array.from({ length: 10 }, () => log.read(run, 0, 1000)))
    expect(new Set(chunks).size).toBe(1)
  })

  it('is closed when too many logs are open', async () => {
    for (let n = 0; n < 30; n += 1) await append(`run_manymany${n}` as RunId, 'a')
    while (disk.openFiles > 4) await new Promise(setImmediate)
    await log.close()
    expect(disk.openFiles).toBe(0)
  })
})
