import { closeSync, constants, fstatSync, openSync, read, write } from 'node:fs'
import { promisify } from 'node:util'
import { assemble } from '@farhand/kit/assemble'
import { BadPatch, patchedSize, readPatch } from '@farhand/protocol/wire/patch'
import type { PatchToMake } from '../../engine/disk-folder.ts'
import type { SummedContents } from '../index/summed-contents.ts'

const readFrom = promisify(read)
const writeTo = promisify(write)

/**
 * Writes into an open file what a patch makes of another one. True only if that has the size and the hash that it
 * should have: the very bytes that were written are hashed, so it does not matter whether the other file changed
 * meanwhile. Throws errors of the system.
 */
export async function assembleFile(
  base: string,
  into: number,
  { hash, size, patch }: PatchToMake,
  contents: SummedContents,
): Promise<boolean> {
  const made = readOrNull(patch)
  // Before anything is written: a few bytes could make more than the disk has room for.
  if (!made || patchedSize(made.parts) !== size) return false
  const source = openSync(base, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!fstatSync(source).isFile()) return false
    const sums = await assemble({
      parts: made.parts,
      summer: contents.summer,
      like: contents.get(made.base),
      read: async (room, at) => (await readFrom(source, room, 0, room.length, at)).bytesRead,
      write: async (bytes, at) => {
        for (let done = 0; done < bytes.length; )
          done += (await writeTo(into, bytes, done, bytes.length - done, at + done)).bytesWritten
      },
    })
    if (`sha256_${sums?.hex}` !== hash) return false
    contents.remember(hash, sums!)
    return true
  } finally {
    closeSync(source)
  }
}

function readOrNull(patch: Uint8Array) {
  try {
    return readPatch(patch)
  } catch (error) {
    if (error instanceof BadPatch) return null
    throw error
  }
}
