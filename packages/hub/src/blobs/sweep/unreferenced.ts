import type { BlobHash } from '@farhand/protocol/wire/blob-hash'

const dayMs = 24 * 60 * 60 * 1000

/** How long a blob outlives its last need and its last use (W25). */
export const keepMs = 30 * dayMs

/** Until when a log needs each blob it names, in ms since 1970; Infinity while it still does. */
export type Needs = ReadonlyMap<BlobHash, number>

/** What is known of a blob besides the logs. */
export type BlobUse = { hash: BlobHash; usedAt: Date; kept: boolean }

/** The blobs of a project that may be removed, given the needs of all its logs. */
export function unreferenced(blobs: readonly BlobUse[], logs: readonly Needs[], now: Date): BlobHash[] {
  const isOver = (time: number) => time + keepMs < now.getTime()
  const mayGo = ({ hash, usedAt, kept }: BlobUse) =>
    !kept && isOver(usedAt.getTime()) && logs.every((needs) => isOver(needs.get(hash) ?? -Infinity))
  return blobs.filter(mayGo).map((blob) => blob.hash)
}
