import { join } from 'node:path'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { cutTail, firstBreak } from './cut-tail.ts'
import { cutBack, type Disk, type DiskFile, readExactly } from './disk/disk.ts'
import { decodeHead, type SavedHead, type Snapshot } from './head-file.ts'
import { isTorn } from './is-torn.ts'
import { emptySnapshot, scanLog } from './scan-log.ts'
import { decodeLine } from './stored-line.ts'

/** Reports trouble to the operator of the hub, whether it was fixed or not. */
export type Report = (about: { run: RunId } & Record<string, unknown>, message: string) => void

/** Where and how the log of a run is stored. `writeBytesMax`: how much is written at once, and so how much a crash can tear. */
export type LogPlace = { disk: Disk; folder: string; run: RunId; report: Report; writeBytesMax: number }

export type OpenedLog = { file: DiskFile | null; snapshot: Snapshot; headBytes: number }

export const logPath = (place: LogPlace) => join(place.folder, `${place.run}.jsonl`)
export const headPath = (place: LogPlace) => join(place.folder, `${place.run}.head.json`)

/**
 * Opens the log of a run, also after a crash: its whole lines are made durable, the torn rest is cut (W6). If the damage cannot come
 * from a crash, the log is left as it is and not opened.
 */
export async function openLog(place: LogPlace): Promise<OpenedLog> {
  const head = await savedHead(place)
  const durableBytes = head?.durableBytes ?? 0
  const file = await place.disk.open(logPath(place), false)
  if (!file && durableBytes > 0) throw damaged(place, 0, 0)
  if (!file) return { file, snapshot: emptySnapshot(), headBytes: 0 }
  try {
    // A killed process may not have synced its last lines or its last cut. Readers must not see lines, and writers must not append,
    // before the disk has them.
    await file.sync()
    const size = await file.size()
    const snapshot = (await fittingSnapshot(place, head, file, size)) ?? emptySnapshot()
    const headBytes = snapshot.bytes
    await scanLog(file, snapshot, size)
    const at = snapshot.bytes
    if (at < size || at < durableBytes) {
      const unread = { at, first: await firstBreak(file, at, size) }
      const { writeBytesMax } = place
      if (!isTorn(unread, { size, durableBytes, writeBytesMax })) throw damaged(place, at, size)
      await cutTail(place, file, at, size)
    }
    return { file, snapshot, headBytes }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Opens the log again after a failed flush, cut back to what is known to be durable. */
export async function reopenLog(place: LogPlace, durableBytes: number): Promise<OpenedLog> {
  const file = await place.disk.open(logPath(place), false)
  if (!file && durableBytes === 0) return { file, snapshot: emptySnapshot(), headBytes: 0 }
  if (!file) throw new Fault('log.unavailable', 'the log of this run is gone')
  try {
    await file.sync()
    const size = await file.size()
    if (size < durableBytes) throw new Fault('log.unavailable', 'the log of this run lost its end')
    await cutBack(file, size, durableBytes, place.writeBytesMax)
    // The failed flush may have created the file.
    await place.disk.syncFolder(place.folder)
    const head = await savedHead(place)
    const snapshot = (await fittingSnapshot(place, head, file, durableBytes)) ?? emptySnapshot()
    const headBytes = snapshot.bytes
    await scanLog(file, snapshot, durableBytes)
    if (snapshot.bytes < durableBytes) {
      place.report({ run: place.run, at: snapshot.bytes }, 'a line that was durable cannot be read back')
      throw new Fault('log.unavailable', 'the log of this run cannot be read')
    }
    return { file, snapshot, headBytes }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Remembered until the files of the log change, as checking again would take as long. */
export class DamagedLog extends Fault {}

function damaged(place: LogPlace, at: number, size: number): Fault {
  place.report(
    { run: place.run, file: logPath(place), head: headPath(place), at, size },
    'a log is damaged where it was durable, and left as it is: bring the file back from a backup; or, to go on ' +
      'without what follows, keep a copy of it, cut the file to `at` bytes and remove its head file',
  )
  return new DamagedLog(
    'log.unavailable',
    `the log of this run is damaged at byte ${at}: the report of the hub says what to do`,
  )
}

async function savedHead(place: LogPlace): Promise<SavedHead | null> {
  const saved = await place.disk.load(headPath(place))
  return saved && decodeHead(saved)
}

async function fittingSnapshot(
  place: LogPlace,
  head: SavedHead | null,
  file: DiskFile,
  size: number,
): Promise<Snapshot | null> {
  const snapshot = head?.snapshot
  if (!snapshot) return null
  if (snapshot.bytes <= size && (await endsWithLine(file, snapshot))) return snapshot
  place.report(
    { run: place.run, size, expected: snapshot.bytes },
    'the log is not the one its head was saved from',
  )
  return null
}

async function endsWithLine(file: DiskFile, { state, bytes, lastLineAt }: Snapshot): Promise<boolean> {
  if (lastLineAt >= bytes) return bytes === 0
  const line = await readExactly(file, lastLineAt, bytes - lastLineAt)
  if (line.indexOf(0x0a) !== line.length - 1) return false
  const event = decodeLine(line.toString())
  return event?.id === state.lastId && Date.parse(event.timestamp) === state.timeMs
}
