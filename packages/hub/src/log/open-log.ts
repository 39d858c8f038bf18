import { join } from 'node:path'
import { Fault } from '@farhand/protocol/faults'
import type { RunId } from '@farhand/protocol/ids'
import { cutTail } from './cut-tail.ts'
import { type Disk, type DiskFile, readExactly } from './disk.ts'
import { decodeHead, type Snapshot } from './head-file.ts'
import { emptySnapshot, scanLog } from './scan-log.ts'
import { decodeLine } from './stored-line.ts'

/** Tells whoever runs the hub about trouble that was dealt with, or could not be. */
export type Report = (about: { run: RunId } & Record<string, unknown>, message: string) => void

export type LogPlace = { disk: Disk; folder: string; run: RunId; report: Report }

export type OpenedLog = { file: DiskFile | null; snapshot: Snapshot; headBytes: number }

export const logPath = (place: LogPlace) => join(place.folder, `${place.run}.jsonl`)
export const headPath = (place: LogPlace) => join(place.folder, `${place.run}.head.json`)

/** Opens the log of a run as a crash may have left it: what is found whole is durable afterwards, the rest is cut (W6). */
export async function openLog(place: LogPlace): Promise<OpenedLog> {
  const file = await place.disk.open(logPath(place), false)
  if (!file) return { file, snapshot: emptySnapshot(), headBytes: 0 }
  try {
    const size = await file.size()
    const snapshot = (await savedSnapshot(place, file, size)) ?? emptySnapshot()
    const headBytes = snapshot.bytes
    await scanLog(file, snapshot, size)
    // Lines of a process that died may not have reached the disk yet: nobody may see them before they have.
    if (snapshot.bytes < size) await cutTail(place, file, snapshot.bytes, size)
    else if (headBytes < size) await file.sync()
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
    if ((await file.size()) < durableBytes)
      throw new Fault('log.unavailable', 'the log of this run lost its end')
    await file.truncate(durableBytes)
    // The flush that failed may have been the one that made the file.
    await place.disk.syncFolder(place.folder)
    const snapshot = (await savedSnapshot(place, file, durableBytes)) ?? emptySnapshot()
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

async function savedSnapshot(place: LogPlace, file: DiskFile, size: number): Promise<Snapshot | null> {
  const saved = await place.disk.load(headPath(place))
  const snapshot = saved && decodeHead(saved)
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
