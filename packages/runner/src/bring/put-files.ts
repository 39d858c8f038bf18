import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { blobHashOf } from '../memory/memory-snapshots.ts'

/** What lies at a place; links are not followed. */
export function whatLies(place: string): BlobHash | 'other' | null {
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (!there) return null
  return there.isFile() ? blobHashOf(readFileSync(place)) : 'other'
}

/** Makes a file below a folder, whole or not at all. Throws if anything on the way is no real folder. */
export function putFile(folder: string, place: string, bytes: Uint8Array, mode: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let way = folder
  for (const name of path.relative(folder, path.dirname(place)).split(path.sep)) {
    if (name === '') continue
    if (name === '..') throw new Error('it would be outside of the home')
    way = path.join(way, name)
    const there = lstatSync(way, { throwIfNoEntry: false })
    if (there && !there.isDirectory()) throw new Error(`${way} is no folder`)
    if (!there) mkdirSync(way, { mode: 0o700 })
  }
  const draft = `${place}.farhand-draft`
  rmSync(draft, { force: true })
  writeFileSync(draft, bytes, { flag: 'wx', mode: 0o600 })
  chmodSync(draft, mode === '755' ? 0o700 : 0o600)
  renameSync(draft, place)
}
