import { type DiskFile, readExactly } from './disk/disk.ts'
import type { Snapshot } from './head-file.ts'
import { emptyLogState, remember } from './log-state.ts'
import { decodeLine } from './stored-line.ts'

const chunkBytes = 256 * 1024
const lineFeed = 0x0a

/** The snapshot of an empty log. */
export const emptySnapshot = (): Snapshot => ({ state: emptyLogState(), bytes: 0, lastLineAt: 0 })

/**
 * Folds the lines between the snapshot and `size` into it, up to the first line that is damaged or out of order; the snapshot then
 * ends there. It reads in chunks, so that a long log neither fills memory nor blocks other work.
 */
export async function scanLog(file: DiskFile, snapshot: Snapshot, size: number): Promise<void> {
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
