import type { BlobHash } from './blob-hash.ts'

/** The content type of a pack: many small blobs in one body, and the events that name them (W31). */
export const packType = 'application/x-farhand-pack'

const hashLength = 32
const mostCopied = 8 * 1024
const kinds = { blob: 1, events: 2, missing: 3 } as const

/** Bytes before the content of a record: its kind and its length. */
export const recordHeadBytes = 5
/** The same for a record that also has a hash. */
export const blobHeadBytes = recordHeadBytes + hashLength

export type PackRecord =
  | { kind: 'blob'; hash: BlobHash; bytes: Uint8Array }
  | { kind: 'events'; bytes: Uint8Array }
  | { kind: 'missing'; hash: BlobHash }

/** A body that is no pack: it is not well-formed, has a record that is larger than allowed, or ends too early. */
export class BadPack extends Error {
  readonly why: 'malformed' | 'too-large' | 'cut-off'

  constructor(why: BadPack['why'], message: string) {
    super(message)
    this.name = 'BadPack'
    this.why = why
  }
}

const prefix = 'sha256_'
const codesOf = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))
const digits = codesOf('0123456789abcdef')
const letters = codesOf(prefix.padEnd(prefix.length + 2 * hashLength, '0'))
const digit = (code: number) => (code < 58 ? code - 48 : code - 87)

/** Writes a hash as its 32 bytes. */
export function writeHash(hash: BlobHash, into: Uint8Array, at = 0): void {
  for (let n = 0; n < hashLength; n++) {
    const from = prefix.length + n * 2
    into[at + n] = (digit(hash.charCodeAt(from)) << 4) | digit(hash.charCodeAt(from + 1))
  }
}

/** Reads a hash from its 32 bytes at `at`. */
export function readHash(bytes: Uint8Array, at = 0): BlobHash {
  for (let n = 0; n < hashLength; n++) {
    const byte = bytes[at + n]!
    letters[prefix.length + 2 * n] = digits[byte >> 4]!
    letters[prefix.length + 2 * n + 1] = digits[byte & 15]!
  }
  // In one call: a string built letter by letter takes ten times its size in memory.
  return String.fromCharCode(...letters) as BlobHash
}

/** The head of a blob's record, to be followed by its bytes. */
export function blobHead(hash: BlobHash, size: number): Uint8Array {
  const head = new Uint8Array(blobHeadBytes)
  writeHead(head, 0, kinds.blob, size)
  writeHash(hash, head, recordHeadBytes)
  return head
}

/** The head of the events, to be followed by one JSON notification a line; they are the last record. */
export function eventsHead(size: number): Uint8Array {
  const head = new Uint8Array(recordHeadBytes)
  writeHead(head, 0, kinds.events, size)
  return head
}

/** In an answer: a blob that was requested and that the project does not have. */
export function missingRecord(hash: BlobHash): Uint8Array {
  const record = blobHead(hash, 0)
  record[0] = kinds.missing
  return record
}

/** A whole pack in pieces: large blobs are not copied; small ones are, because a piece of their own costs more. */
export function packPieces(
  blobs: readonly { hash: BlobHash; bytes: Uint8Array }[],
  events?: Uint8Array,
): Uint8Array[] {
  let copied = events ? recordHeadBytes + events.length : 0
  for (const { bytes } of blobs) copied += blobHeadBytes + (bytes.length <= mostCopied ? bytes.length : 0)
  const own = new Uint8Array(copied)
  const pieces: Uint8Array[] = []
  let from = 0
  let at = 0
  for (const { hash, bytes } of blobs) {
    writeHead(own, at, kinds.blob, bytes.length)
    writeHash(hash, own, at + recordHeadBytes)
    at += blobHeadBytes
    if (bytes.length <= mostCopied) {
      own.set(bytes, at)
      at += bytes.length
      continue
    }
    pieces.push(own.subarray(from, at), bytes)
    from = at
  }
  if (events) {
    writeHead(own, at, kinds.events, events.length)
    own.set(events, at + recordHeadBytes)
  }
  if (from < copied) pieces.push(own.subarray(from))
  return pieces
}

/** A whole pack in one piece. */
export function writePack(
  blobs: readonly { hash: BlobHash; bytes: Uint8Array }[],
  events?: Uint8Array,
): Uint8Array {
  const pieces = packPieces(blobs, events)
  const pack = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    pack.set(piece, at)
    at += piece.length
  }
  return pack
}

function writeHead(into: Uint8Array, at: number, kind: number, size: number): void {
  into[at] = kind
  into[at + 1] = size >>> 24
  into[at + 2] = size >>> 16
  into[at + 3] = size >>> 8
  into[at + 4] = size
}

/**
 * Takes a pack apart as it arrives. The bytes of a record that lies within one chunk are a view of that chunk, so a
 * chunk must not be written to while its records are in use.
 */
export class PackReader {
  readonly #mostBytes: number
  /** A record that has arrived in part: its bytes so far, in an array of its whole size once that is known. */
  #part: Uint8Array | null = null
  #have = 0
  #ended = false

  /** `mostBytes` is how large one record may be; no larger buffer is allocated for one. */
  constructor(limits: { mostBytes: number }) {
    this.#mostBytes = limits.mostBytes
  }

  /** The records that are complete now, in order. */
  feed(chunk: Uint8Array): PackRecord[] {
    const records: PackRecord[] = []
    let at = this.#part ? this.#resume(chunk, records) : 0
    while (at < chunk.length) {
      const whole = this.#wholeSize(chunk, at, chunk.length)
      if (whole === null || at + whole > chunk.length) {
        this.#part = new Uint8Array(whole ?? blobHeadBytes)
        this.#part.set(chunk.subarray(at))
        this.#have = chunk.length - at
        break
      }
      records.push(this.#record(chunk, at, whole))
      at += whole
    }
    return records
  }

  /** Call at the end of the body: throws if it ends within a record. */
  end(): void {
    if (this.#part) throw new BadPack('cut-off', 'the pack ends within a record')
  }

  /** Completes the record that has begun, and returns where in the chunk the next one starts. */
  #resume(chunk: Uint8Array, records: PackRecord[]): number {
    let at = 0
    for (;;) {
      const part = this.#part!
      const known = this.#wholeSize(part, 0, this.#have)
      if (known !== null && known === this.#have) {
        this.#part = null
        records.push(this.#record(part, 0, known))
        return at
      }
      if (at === chunk.length) return at
      // Byte by byte until the size is known, which is in the first five.
      const wanted = known === null ? this.#have + 1 : known
      if (wanted > part.length) {
        this.#part = new Uint8Array(wanted)
        this.#part.set(part.subarray(0, this.#have))
      }
      const taken = Math.min(wanted - this.#have, chunk.length - at)
      this.#part!.set(chunk.subarray(at, at + taken), this.#have)
      this.#have += taken
      at += taken
    }
  }

  /** How many bytes the record at `at` has with its head, or null if too little of it has arrived to know. */
  #wholeSize(bytes: Uint8Array, at: number, end: number): number | null {
    if (this.#ended) throw new BadPack('malformed', 'the events are the last record of a pack')
    const kind = bytes[at]!
    if (kind < kinds.blob || kind > kinds.missing) {
      throw new BadPack('malformed', `a record begins with its kind, 1 to 3, not with ${kind}`)
    }
    if (end - at < recordHeadBytes) return null
    const size =
      bytes[at + 1]! * 0x1000000 + ((bytes[at + 2]! << 16) | (bytes[at + 3]! << 8) | bytes[at + 4]!)
    if (size > this.#mostBytes) {
      throw new BadPack('too-large', `a record of ${size} bytes is larger than ${this.#mostBytes}`)
    }
    if (kind === kinds.missing && size > 0)
      throw new BadPack('malformed', 'what is missing has a length of 0')
    return (kind === kinds.events ? recordHeadBytes : blobHeadBytes) + size
  }

  #record(from: Uint8Array, at: number, whole: number): PackRecord {
    const kind = from[at]!
    if (kind === kinds.events) {
      this.#ended = true
      return { kind: 'events', bytes: from.subarray(at + recordHeadBytes, at + whole) }
    }
    const hash = readHash(from, at + recordHeadBytes)
    if (kind === kinds.missing) return { kind: 'missing', hash }
    return { kind: 'blob', hash, bytes: from.subarray(at + blobHeadBytes, at + whole) }
  }
}
