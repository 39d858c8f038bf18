import type { PackedObject } from './packed-objects.ts'

/** The layout of a bundle file: a header, then a pack with these objects. */
export type BundleShape = { headBytes: number; bytes: number; objects: readonly PackedObject[] }

/** A byte range of the new bundle, or of the previous one if that has the same bytes. */
export type BundlePart = { of: 'now' | 'before'; start: number; end: number }

/**
 * Splits a bundle into ranges that the previous bundle has too (objects in the same form), and ranges that are new.
 * Equality is a guess by checksum: the receiver must verify the whole.
 */
export function bundleParts(before: BundleShape, now: BundleShape): BundlePart[] {
  const had = new Map(before.objects.map((object) => [object.name, object]))
  const parts: BundlePart[] = []
  const add = (part: BundlePart) => {
    const last = parts.at(-1)
    if (last?.of === part.of && last.end === part.start) last.end = part.end
    else if (part.end > part.start) parts.push(part)
  }
  let at = 0
  for (const { name, start, end, crc } of now.objects) {
    const same = had.get(name)
    if (!same || same.crc !== crc || same.end - same.start !== end - start) continue
    add({ of: 'now', start: at, end: now.headBytes + start })
    add({ of: 'before', start: before.headBytes + same.start, end: before.headBytes + same.end })
    at = now.headBytes + end
  }
  add({ of: 'now', start: at, end: now.bytes })
  return parts
}
