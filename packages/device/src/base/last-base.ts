import { open, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import { isWithinLimits, type PatchPart, writePatch } from '@farhand/protocol/wire/patch'
import { type PackedObject, packedObjects } from './packed-objects.ts'

/** A bundle, and the hub and project that have it. */
export type SentBundle = {
  hub: string
  project: string
  hash: BlobHash
  bytes: number
  headBytes: number
}

/** The record of the last bundle that a folder sent: enough to send the next one as a patch. */
export class LastBase {
  readonly #note: string
  readonly #index: string

  constructor(folder: string) {
    this.#note = path.join(folder, 'sent-base.json')
    this.#index = path.join(folder, 'sent-base.idx')
  }

  /** A patch from the last bundle to this one (W35); null if there is no last bundle, or too little in common. */
  async patchTo(now: SentBundle & { file: string; index: Uint8Array }): Promise<Uint8Array | null> {
    const last = await this.#read()
    if (!last || last.hub !== now.hub || last.project !== now.project || last.hash === now.hash) return null
    const shape = shapeOf(now, now.index)
    if (!last.shape || !shape) return null
    const parts = bundleParts(last.shape, shape)
    const fresh = parts.reduce((sum, { of, start, end }) => sum + (of === 'now' ? end - start : 0), 0)
    if (fresh > Math.min(now.bytes / 2, limits.requestBytes)) return null
    const read: PatchPart[] = []
    const handle = await open(now.file, 'r')
    try {
      for (const { of, start, end } of parts) {
        if (of === 'before') read.push({ start, end })
        else read.push((await handle.read(new Uint8Array(end - start), 0, end - start, start)).buffer)
      }
    } finally {
      await handle.close()
    }
    return isWithinLimits(read) ? writePatch({ base: last.hash, parts: read }) : null
  }

  /**
   * A crash between the two writes leaves a wrong record. The hub then rejects the patch, and the next bundle is sent
   * whole.
   */
  async save({ hub, project, hash, bytes, headBytes }: SentBundle, index: Uint8Array): Promise<void> {
    await writeFile(this.#index, index, { mode: 0o600 })
    const draft = `${this.#note}.${process.pid}`
    await writeFile(draft, JSON.stringify({ hub, project, hash, bytes, headBytes }), { mode: 0o600 })
    await rename(draft, this.#note)
  }

  async #read(): Promise<(SentBundle & { shape: BundleShape | null }) | null> {
    try {
      const [note, index] = await Promise.all([readFile(this.#note, 'utf8'), readFile(this.#index)])
      const said = JSON.parse(note) as SentBundle
      return { ...said, hash: BlobHash.parse(said.hash), shape: shapeOf(said, index) }
    } catch {
      // Nothing was sent yet, or the record is invalid.
      return null
    }
  }
}

function shapeOf({ bytes, headBytes }: SentBundle, index: Uint8Array): BundleShape | null {
  const objects = packedObjects(index, bytes - headBytes)
  return objects && { bytes, headBytes, objects }
}

/** The layout of a bundle file: a header, then a pack with these objects. */
export type BundleShape = { headBytes: number; bytes: number; objects: readonly PackedObject[] }

/** A byte range of the new bundle, or of the previous one if that has the same bytes. */
type BundlePart = { of: 'now' | 'before'; start: number; end: number }

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
