import type { LogChunk } from './event-log.ts'
import { idOfLine } from './stored-line.ts'

const lineFeed = 0x0a

/** The length of the whole lines within the first `maxBytes`, but at least one line; 0 if no line ends. */
export function wholeLines(bytes: Buffer, maxBytes: number): number {
  if (maxBytes >= bytes.length) return bytes.lastIndexOf(lineFeed) + 1
  const fitting = maxBytes > 0 ? bytes.lastIndexOf(lineFeed, maxBytes - 1) + 1 : 0
  return fitting > 0 ? fitting : bytes.indexOf(lineFeed) + 1
}

/** Where the last of these whole lines begins. */
export function lastLineStart(bytes: Buffer): number {
  // A negative offset would count from the end and find the last line feed itself.
  return bytes.length < 2 ? 0 : bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1
}

/** Where the line `count` lines later begins, or -1 if the bytes end before. */
export function skipLines(bytes: Buffer, count: number, from = 0): number {
  let at = from
  for (let skipped = 0; skipped < count; skipped += 1) {
    const end = bytes.indexOf(lineFeed, at)
    if (end < 0) return -1
    at = end + 1
  }
  return at
}

/** The chunk of these whole lines. */
export function chunkOf(bytes: Buffer): LogChunk {
  return { bytes, firstId: idOfLine(bytes, 0), lastId: idOfLine(bytes, lastLineStart(bytes)) }
}

/** The chunk in pieces of at most `maxBytes`, but at least a line each. */
export function* pieces(chunk: LogChunk, maxBytes: number): Generator<LogChunk> {
  if (chunk.bytes.length <= maxBytes) {
    yield chunk
    return
  }
  let rest = chunk.bytes
  while (rest.length > 0) {
    const length = wholeLines(rest, maxBytes)
    yield { ...chunkOf(rest.subarray(0, length)), ...(chunk.passing && { passing: true }) }
    rest = rest.subarray(length)
  }
}
