import type { BlobHash } from './blob-hash.ts'
import { limits } from './limits.ts'
import { readHash, writeHash } from './pack.ts'

/** The content type of a patch: a blob as its differences from another one (W35). */
export const patchType = 'application/x-farhand-patch'

const hashLength = 32
const kinds = { copy: 1, bytes: 2 } as const
const copyLength = 1 + 8 + 8
const bytesHeadLength = 1 + 4

/** Either bytes, or a range of the base; never empty. */
export type PatchPart = Uint8Array | { start: number; end: number }

/** How to make a blob from another one, its base: these parts, one after another. */
export type Patch = { base: BlobHash; parts: PatchPart[] }

/** A body that is no patch. */
export class BadPatch extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadPatch'
  }
}

/** How many bytes the written patch has. */
export const patchLength = (parts: readonly PatchPart[]) =>
  parts.reduce(
    (sum, part) => sum + (part instanceof Uint8Array ? bytesHeadLength + part.length : copyLength),
    hashLength,
  )

/** How many bytes the resulting blob has. */
export const patchedSize = (parts: readonly PatchPart[]) =>
  parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : part.end - part.start), 0)

/** How many bytes it copies from its base. A hub accepts no more than the base has: a short patch could make a huge blob. */
export const copiedSize = (parts: readonly PatchPart[]) =>
  parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? 0 : part.end - part.start), 0)

/** Whether a hub accepts the patch: it is not too long and has not too many parts. */
export const isWithinLimits = (parts: readonly PatchPart[]) =>
  parts.length <= limits.partsPerPatch && patchLength(parts) <= limits.requestBytes

export function writePatch({ base, parts }: Patch): Uint8Array {
  const patch = new Uint8Array(patchLength(parts))
  const view = new DataView(patch.buffer)
  writeHash(base, patch)
  let at = hashLength
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      patch[at] = kinds.bytes
      view.setUint32(at + 1, part.length)
      patch.set(part, at + bytesHeadLength)
      at += bytesHeadLength + part.length
    } else {
      patch[at] = kinds.copy
      view.setBigUint64(at + 1, BigInt(part.start))
      view.setBigUint64(at + 9, BigInt(part.end - part.start))
      at += copyLength
    }
  }
  return patch
}

/** Reads a patch; throws BadPatch if it is none. Its bytes are views of the argument. */
export function readPatch(patch: Uint8Array): Patch {
  if (patch.length < hashLength) throw new BadPatch('a patch begins with the hash of its base')
  const view = new DataView(patch.buffer, patch.byteOffset, patch.byteLength)
  const parts: PatchPart[] = []
  for (let at = hashLength; at < patch.length; ) {
    const kind = patch[at]
    const isCopy = kind === kinds.copy
    if (!isCopy && kind !== kinds.bytes)
      throw new BadPatch(`a part begins with its kind, 1 or 2, not with ${kind}`)
    const head = isCopy ? copyLength : bytesHeadLength
    if (at + head > patch.length) throw new BadPatch('it ends within a part')
    if (parts.length === limits.partsPerPatch)
      throw new BadPatch(`it has more than ${limits.partsPerPatch} parts`)
    if (isCopy) {
      const start = Number(view.getBigUint64(at + 1))
      const end = start + Number(view.getBigUint64(at + 9))
      if (!Number.isSafeInteger(end)) throw new BadPatch('a part is beyond what any blob has')
      if (end === start) throw new BadPatch('a part is empty')
      parts.push({ start, end })
      at += head
    } else {
      const end = at + head + view.getUint32(at + 1)
      if (end > patch.length) throw new BadPatch('it ends within a part')
      if (end === at + head) throw new BadPatch('a part is empty')
      parts.push(patch.subarray(at + head, end))
      at = end
    }
  }
  return { base: readHash(patch), parts }
}
