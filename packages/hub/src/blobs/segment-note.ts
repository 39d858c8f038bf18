import { recordHeadBytes } from '@farhand/protocol/wire/pack'

/** A note in a segment before blobs that came together: their owner and the time. */
export type SegmentNote = {
  /** Null for blobs that were moved from another segment, whose owners are in the index. */
  owner: string | null
  at: number
}

/** The kind of a note's record. Records of packs have the kinds 1 to 3. */
export const noteKind = 0x6e

export function writeNote(note: SegmentNote): Uint8Array {
  const text = JSON.stringify(note)
  const record = Buffer.allocUnsafe(recordHeadBytes + Buffer.byteLength(text))
  record[0] = noteKind
  record.writeUInt32BE(record.length - recordHeadBytes, 1)
  record.write(text, recordHeadBytes)
  return record
}

/** The note in these bytes, or null if they are none. */
export function readNote(bytes: Buffer): SegmentNote | null {
  try {
    const { owner, at } = JSON.parse(bytes.toString())
    if ((owner !== null && typeof owner !== 'string') || !Number.isFinite(at)) return null
    return { owner, at }
  } catch {
    return null
  }
}
