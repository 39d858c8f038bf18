import { Fault } from '@farhand/protocol/wire/faults'
import { cutTail, firstBreak } from './cut-tail.ts'
import { cutBack, type DiskFile, readExactly } from './disk/disk.ts'
import { decodeHead, type SavedHead, type Snapshot } from './head-file.ts'
import { headPath, type LogPlace, logPath } from './log-place.ts'
import { emptyLogState, remember } from './log-state.ts'
import { decodeLine } from './stored-line.ts'

const chunkBytes = 256 * 1024
const lineFeed = 0x0a

export type OpenedLog = { file: DiskFile | null; snapshot: Snapshot; headBytes: number }

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

/** The snapshot of an empty log. */
const emptySnapshot = (): Snapshot => ({ state: emptyLogState(), bytes: 0, lastLineAt: 0 })

/**
 * Folds the lines between the snapshot and `size` into it, up to the first line that is damaged or out of order; the snapshot then
 * ends there. It reads in chunks, so that a long log neither fills memory nor blocks other work.
 */
async function scanLog(file: DiskFile, snapshot: Snapshot, size: number): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  for (let at = snapshot.bytes; at < size; ) {
    const chunk = await readExactly(file, at, Math.min(chunkBytes, size - at))
    at += chunk.length
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const folded = foldLines(bytes, snapshot)
    if (folded === null) return
    rest = bytes.subarray(folded)
  }
}

function foldLines(bytes: Buffer, snapshot: Snapshot): number | null {
  let line = 0
  for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, line)) {
    const event = decodeLine(bytes.toString('utf8', line, end))
    if (event?.id !== snapshot.state.lastId + 1) return null
    remember(snapshot.state, event)
    snapshot.lastLineAt = snapshot.bytes
    snapshot.bytes += end + 1 - line
    line = end + 1
  }
  return line
}

/** The first line that cannot be read: where it begins, and which zero byte or line feed comes first in it. */
type UnreadLine = { at: number; first: { byte: 'line-feed' | 'zero'; at: number } | null }

/** What is known of the file. */
type Durability = { size: number; durableBytes: number; writeBytesMax: number }

/**
 * Whether a crash can explain this unreadable line. If not, the line was damaged after it had been acknowledged, and cutting it would
 * assign ids again that readers have seen.
 *
 * A file is only written at its end, each write durable before the next begins. So a crash leaves zeros, or nothing,
 * in place of bytes of the last write; it changes no byte that was there. (decisions/0005)
 */
function isTorn({ at, first }: UnreadLine, { size, durableBytes, writeBytesMax }: Durability): boolean {
  if (at < durableBytes) return false
  if (first?.byte === 'zero') return first.at >= size - writeBytesMax
  return first === null
}
