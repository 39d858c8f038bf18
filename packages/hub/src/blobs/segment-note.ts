import { recordHeadBytes } from '@farhand/protocol/wire/pack'

/** What stands in a segment before the blobs that came together: whose they are, and when they came. */
export type SegmentNote = {
  /** Nobody's are those that only moved: what was true of them is written elsewhere. */
  owner: string | null
  at: number
}

/** Records of packs have the kinds 1 to 3. */
export const noteKind = 0x6e

export function writeNote(note: SegmentNote): Uint8Array {
  const text = JSON.stringify(note)
  const record = Buffer.allocUnsafe(recordHeadBytes + Buffer.byteLength(text))
  record[0] = noteKind
  record.writeUInt32BE(record.length - recordHeadBytes, 1)
  record.write(text, recordHeadBytes)
  return record
}

/** The note that these bytes say, or null if they say none. */
export function readNote(bytes: Buffer): SegmentNote | null {
  try {
    const { owner, at } = JSON.parse(bytes.toString())
    if ((owner !== null && typeof owner !== 'string') || !Number.isFinite(at)) return null
    return { owner, at }
  } catch {
    return null
  }
}
