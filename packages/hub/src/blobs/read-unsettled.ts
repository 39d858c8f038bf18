import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { blobHeadBytes, readHash, recordHeadBytes } from '@farhand/protocol/wire/pack'
import type { Recovered } from './pack-index.ts'
import { nameOf } from './received-blobs.ts'
import { noteKind, readNote, type SegmentNote } from './segment-note.ts'

// No record is larger than this; a larger size in a head is damage.
const mostRecordBytes = 64 * 1024 * 1024

/**
 * The blobs in a segment from a place on, with their notes. `whole`: the file ends at the end of a record. If not, a crash or a full disk
 * has cut off the last records, which were never acknowledged.
 */
export function readUnsettled(
  path: string,
  segment: number,
  from: number,
): { found: Recovered[]; whole: boolean; end: number } {
  const fd = openSync(path, 'r')
  try {
    const end = fstatSync(fd).size
    const found: Recovered[] = []
    let note: SegmentNote | null = null
    for (let at = from; at < end; ) {
      const head = bytesAt(fd, at, Math.min(blobHeadBytes, end - at))
      if (head.length < recordHeadBytes) return { found, whole: false, end }
      const isNote = head[0] === noteKind
      const headBytes = isNote ? recordHeadBytes : blobHeadBytes
      const size = head.readUInt32BE(1)
      const isKnown = isNote || head[0] === 1
      if (!isKnown || size > mostRecordBytes || at + headBytes + size > end)
        return { found, whole: false, end }
      const bytes = bytesAt(fd, at + headBytes, size)
      if (isNote) {
        note = readNote(bytes)
        if (!note) return { found, whole: false, end }
        found.push({ owner: note.owner, at: new Date(note.at), blobs: [] })
      } else {
        const hash = readHash(head, recordHeadBytes)
        // After a crash the file may have its full length without the bytes.
        if (nameOf([bytes]) !== hash) return { found, whole: false, end }
        if (note) found.at(-1)!.blobs.push({ hash, size, place: { segment, start: at + blobHeadBytes } })
      }
      at += headBytes + size
    }
    return { found, whole: true, end }
  } finally {
    closeSync(fd)
  }
}

function bytesAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  while (at < length) {
    const read = readSync(fd, bytes, at, length - at, position + at)
    if (read === 0) break
    at += read
  }
  return bytes.subarray(0, at)
}
