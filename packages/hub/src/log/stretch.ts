import type { Stretch } from './event-log.ts'
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

/** The stretch of these whole lines. */
export function stretchOf(bytes: Buffer): Stretch {
  return { bytes, firstId: idOfLine(bytes, 0), lastId: idOfLine(bytes, lastLineStart(bytes)) }
}

/** The stretch in pieces of at most `maxBytes`, but at least a line each. */
export function* pieces(stretch: Stretch, maxBytes: number): Generator<Stretch> {
  if (stretch.bytes.length <= maxBytes) {
    yield stretch
    return
  }
  let rest = stretch.bytes
  while (rest.length > 0) {
    const length = wholeLines(rest, maxBytes)
    yield { ...stretchOf(rest.subarray(0, length)), ...(stretch.passing && { passing: true }) }
    rest = rest.subarray(length)
  }
}
