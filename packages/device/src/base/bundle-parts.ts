import type { PackedObject } from './packed-objects.ts'

/** A bundle as a file: its own lines, then a pack with these objects. */
export type BundleShape = { headBytes: number; bytes: number; objects: readonly PackedObject[] }

/** A stretch of the bundle that is being sent, or of the one before, which has the same bytes there. */
export type BundlePart = { of: 'now' | 'before'; start: number; end: number }

/**
 * Of which stretches a bundle can be made if another one is there: objects that both have in the same form come from that one.
 * That they are the same is a guess by checksum; whoever puts it together compares the whole.
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
