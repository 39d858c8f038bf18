import { web } from '@farhand/protocol/events/sample-log'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Disk } from './disk/disk.ts'
import { type DiskTrouble, SimulatedDisk } from './disk/simulated-disk-under-test.ts'
import { openFileEventLog } from './file-event-log.ts'
import { everything, said } from './log-under-test.ts'

const run = 'run_runlogrun' as RunId

let disk: SimulatedDisk
let openFiles: number
let warnings: string[]
/** While this is set, writes wait for it. */
let gate: Promise<void> | null
let writes: number
let failing: DiskTrouble[]

/** The disk, with its open files and its writes counted. */
const counted = (): Disk => ({
  makeFolder: (path) => disk.makeFolder(path),
  load: (path) => disk.load(path),
  replace: (path, bytes) => disk.replace(path, bytes),
  unlink: (path) => disk.unlink(path),
  syncFolder: (path) => disk.syncFolder(path),
  async open(path, create) {
    const file = await disk.open(path, create)
    if (!file) return null
    openFiles += 1
    return {
      ...file,
      async write(bytes, position) {
        writes += 1
        await gate
        return file.write(bytes, position)
      },
      close: () => {
        openFiles -= 1
        return file.close()
      },
    }
  },
})

const open = () =>
  openFileEventLog({
    dir: '/logs',
    disk: counted(),
    snapshotEvents: 1,
    logger: { warn: (_, message) => warnings.push(message) },
  })

beforeEach(() => {
  failing = []
  const trouble = (what: string) => (what === 'write' ? (failing.shift() ?? null) : null)
  disk = new SimulatedDisk({ random: () => 0, trouble })
  openFiles = 0
  gate = null
  writes = 0
  warnings = []
})

/** A change of mode whose policy can be encoded so many times, as if it then was too long for a string. */
function unwieldy(times: number): Notification {
  let encoded = 0
  const toJSON = () => {
    encoded += 1
    if (encoded > times) throw new RangeError('Invalid string length')
    return 'allow'
  }
  return {
    jsonrpc: '2.0',
    method: '_posthog/mode_change',
    params: { mode: 'background', policy: { toJSON } },
  }
}

describe('a state that cannot be encoded', () => {
  it('only costs the log its head: it is reported, appends go on, and the file is closed', async () => {
    const log = await open()
    await log.append(run, () => ({ by: web, notifications: [unwieldy(1)] }))
    expect((await log.append(run, () => ({ by: web, notifications: [said('a')] }))).ids).toEqual([2])
    await log.close()
    expect(openFiles).toBe(0)
    expect(warnings.length).toBeGreaterThan(0)
    expect(new Set(warnings)).toEqual(
      new Set(['the head of a log was not saved: opening it will take longer']),
    )
    expect((await everything(await open(), run)).length).toBe(2)
  })

  it('is not tried again with every flush', async () => {
    const log = await open()
    const many = Array.from({ length: 20 }, (_, n) => said(`${n}`))
    await log.append(run, () => ({ by: web, notifications: [unwieldy(1), ...many] }))
    for (let n = 0; n < 10; n += 1) await log.append(run, () => ({ by: web, notifications: [said('a')] }))
    expect(warnings.length).toBe(1)
    await log.close()
  })

  it('is survived with a logger that fails, too', async () => {
    const warn = () => {
      throw new Error('no logger')
    }
    const log = await openFileEventLog({ dir: '/logs', disk, snapshotEvents: 1, logger: { warn } })
    expect((await log.append(run, () => ({ by: web, notifications: [unwieldy(1)] }))).ids).toEqual([1])
    expect((await log.append(run, () => ({ by: web, notifications: [said('a')] }))).ids).toEqual([2])
    await log.close()
  })
})

/** A notification that can be looked at so many times. */
function fragile(times: number): Notification {
  let looks = 0
  return {
    jsonrpc: '2.0',
    method: '_posthog/mode_change',
    get params() {
      looks += 1
      if (looks > times) throw new TypeError('it broke')
      return {}
    },
  }
}

describe('an event that cannot be folded', () => {
  for (const trouble of [null, { code: 'EIO' as const }]) {
    it(`W5 leaves the flush that is under way alone, ${trouble ? 'which then fails' : 'which then counts'}`, async () => {
      const log = await open()
      await log.append(run, () => ({ by: web, notifications: [said('first')] }))
      let go = () => {}
      gate = new Promise((resolve) => {
        go = resolve
      })
      const underWay = log.append(run, () => ({ by: web, notifications: [said('under way')] }))
      while (writes < 2) await new Promise(setImmediate)
      const behind = log.append(run, () => ({ by: web, notifications: [said('behind')] }))
      const broken = log.append(run, () => ({ by: web, notifications: [fragile(1)] }))
      const after = log.append(run, () => ({ by: web, notifications: [said('after')] }))
      const told = Promise.allSettled([underWay, behind, broken])
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      if (trouble) failing.push(trouble)
      gate = null
      go()
      const rejected = { status: 'rejected' }
      const stored = { status: 'fulfilled', value: { ids: [2] } }
      expect(await told).toMatchObject([trouble ? rejected : stored, rejected, rejected])
      await after
      const texts = (await everything(log, run)).map(({ notification }) => notification.params?.text)
      expect(texts).toEqual(trouble ? ['first', 'after'] : ['first', 'under way', 'after'])
      expect((await log.head(run)).bytes).toBe(disk.bytesOf(`/logs/${run}.jsonl`)!.length)
      await log.close()
      expect(openFiles).toBe(0)
    })
  }
})
