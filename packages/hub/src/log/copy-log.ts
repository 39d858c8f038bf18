import { type DiskFile, writeWhole } from './disk/disk.ts'
import { storageFault } from './disk/storage-fault.ts'
import type { LogChunk } from './event-log.ts'
import { skipLines } from './log-chunk.ts'
import { type LogPlace, logPath } from './log-place.ts'

const portionBytes = 1024 * 1024

/**
 * Copies the first `upTo` lines of a log, unchanged, to a new log. It works in portions, so that a long log neither fills memory nor
 * blocks other work. If it fails, it leaves no line behind.
 */
export async function copyLog(
  place: LogPlace,
  upTo: number,
  read: (after: number, maxBytes: number) => Promise<LogChunk | null>,
): Promise<void> {
  const { disk, folder, writeBytesMax } = place
  const path = logPath(place)
  const there = await disk.open(path, false)
  await there?.close()
  if (there) throw new Error(`there is a log at ${path}`)
  const file = (await disk.open(path, true))!
  try {
    await write(file, upTo, read, writeBytesMax)
    await disk.syncFolder(folder)
  } catch (cause) {
    // An incomplete copy would be taken for the log of the run.
    await file.truncate(0).catch((err) => place.report({ run: place.run, err }, 'half of a log was left'))
    throw storageFault(cause)
  } finally {
    await file.close()
  }
}

async function write(
  file: DiskFile,
  upTo: number,
  read: (after: number, maxBytes: number) => Promise<LogChunk | null>,
  stepBytes: number,
): Promise<void> {
  let position = 0
  for (let after = 0; after < upTo; ) {
    const chunk = await read(after, portionBytes)
    if (!chunk) throw new Error(`the log ends at event ${after}, before ${upTo}`)
    const { bytes, firstId, lastId } = chunk
    const wanted = lastId <= upTo ? bytes : bytes.subarray(0, skipLines(bytes, upTo + 1 - firstId))
    await writeWhole(file, wanted, position, stepBytes)
    position += wanted.length
    after = lastId
  }
}
