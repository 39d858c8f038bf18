import { closeSync, constants, openSync, readSync } from 'node:fs'
import { type ContentSums, cuts, differences, pieceBytes, type Stretch } from '@farhand/kit/content-sums'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import { isWithinLimits, type PatchPart, writePatch } from '@farhand/protocol/wire/patch'
import type { SummedContents } from '../index/summed-contents.ts'

/**
 * A patch that makes this file of its base (W35), in steps; null if one of them is not known here, or if they have
 * too little in common. The file may have changed meanwhile: the receiver of the patch checks the hash.
 */
export function* patchOfFile(
  file: string,
  { hash, base }: { hash: BlobHash; base: BlobHash },
  contents: SummedContents,
): Generator<void, Uint8Array | null> {
  const [now, before] = [contents.get(hash), contents.get(base)]
  if (!now || !before) return null
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const parts =
      now.size === before.size
        ? inPlace(differences(before, now), now.size)
        : yield* aroundOneChange(handle, before, now.size, contents)
    const newBytes = parts.reduce((sum, part) => sum + (part.isNew ? part.end - part.start : 0), 0)
    if (newBytes > Math.min(now.size / 2, limits.requestBytes)) return null
    const read: PatchPart[] = []
    for (const { start, end, isNew } of parts)
      read.push(isNew ? readAt(handle, start, new Uint8Array(end - start)) : { start, end })
    return isWithinLimits(read) ? writePatch({ base, parts: read }) : null
  } finally {
    closeSync(handle)
  }
}

/** A stretch of the file, if it is new, or else of the base. */
type Planned = Stretch & { isNew: boolean }

function inPlace(changed: readonly Stretch[], size: number): Planned[] {
  const parts: Planned[] = []
  let at = 0
  for (const { start, end } of changed) {
    if (start > at) parts.push({ start: at, end: start, isNew: false })
    parts.push({ start, end, isNew: true })
    at = end
  }
  if (at < size) parts.push({ start: at, end: size, isNew: false })
  return parts
}

/** What both begin with and what both end with; all between is new. So is most of a file that was changed in two places. */
function* aroundOneChange(
  handle: number,
  before: ContentSums,
  size: number,
  { summer }: SummedContents,
): Generator<void, Planned[]> {
  const pieces = [...cuts(before.size, before.size)]
  const shorter = Math.min(before.size, size)
  const moved = size - before.size
  const room = Buffer.allocUnsafeSlow(pieceBytes)
  const isAt = (nth: number, by: number) => {
    const [start, end] = pieces[nth]!
    const piece = readAt(handle, start + by, room.subarray(0, end - start))
    return summer.sum(piece) === before.sums[nth]
  }
  let front = 0
  while (front < pieces.length && pieces[front]![1] <= shorter && isAt(front, 0)) {
    front++
    yield
  }
  const same = front === 0 ? 0 : pieces[front - 1]![1]
  let back = pieces.length
  while (back > front && pieces[back - 1]![0] + moved >= same && isAt(back - 1, moved)) {
    back--
    yield
  }
  const from = back === pieces.length ? before.size : pieces[back]![0]
  return [
    { start: 0, end: same, isNew: false },
    { start: same, end: from + moved, isNew: true },
    { start: from, end: before.size, isNew: false },
  ].filter(({ start, end }) => end > start)
}

/** Fills with zeros if the file is shorter than expected: the hash of the result will then be wrong, and be noticed. */
function readAt(handle: number, from: number, into: Uint8Array): Uint8Array {
  for (let at = 0; at < into.length; ) {
    const more = readSync(handle, into, at, into.length - at, from + at)
    if (more === 0) return into.fill(0, at)
    at += more
  }
  return into
}
