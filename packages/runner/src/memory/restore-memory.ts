import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import { type MemoryFile, MemoryList } from '@farhand/protocol/schemas/memory-list'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { MemoryFilter } from './memory-filter.ts'
import { mostMemory } from './memory-snapshots.ts'
import { scanFolder } from './scan-folder.ts'

export type RestoreParts = {
  hub: Hub
  at: RunAddress
  folder: string
  filter: MemoryFilter
  signal: AbortSignal
}

/**
 * Replaces the files of an agent, which must not run, by those of a memory. Throws before it changes anything if a
 * part is missing. Can be repeated.
 */
export async function restoreMemory(list: BlobHash, parts: RestoreParts): Promise<void> {
  const { folder, filter, signal } = parts
  const { files } = await readList(list, parts)
  const unwanted = files.find((file) => !filter.file(file.path))
  if (unwanted) throw new Error(`it has ${unwanted.path}, which does not travel`)
  const contents = await contentsOf(files, parts)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stale = scanFolder(folder, filter)
  if (!stale) throw new Error('there is too much in its place')
  // An old write-ahead log must not be applied to another database.
  for (const below of stale.keys()) rmSync(path.join(folder, below), { force: true })
  for (const { path: below, mode, parts } of files) {
    signal.throwIfAborted()
    const file = placeFor(folder, below)
    // Never through a link that is in its place.
    await writeFile(file, Buffer.concat(parts.map((hash) => contents.get(hash)!)), {
      flag: 'wx',
      mode: 0o600,
    })
    await chmod(file, Number.parseInt(mode, 8))
  }
}

async function readList(list: BlobHash, parts: RestoreParts): Promise<MemoryList> {
  const bytes = (await fetched([list], parts)).get(list)!
  let said: unknown
  try {
    said = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new Error('its list cannot be read', { cause })
  }
  const read = MemoryList.safeParse(said)
  if (!read.success) throw new Error('its list is none', { cause: read.error })
  return read.data
}

async function contentsOf(
  files: readonly MemoryFile[],
  parts: RestoreParts,
): Promise<Map<BlobHash, Uint8Array>> {
  const wanted = new Set(files.flatMap((file) => file.parts))
  const size = files.reduce((sum, file) => sum + file.size, 0)
  if (wanted.size > mostMemory.blobs || size > mostMemory.bytes) throw new Error('it is too large')
  const contents = await fetched(wanted, parts)
  for (const { path, size, parts } of files) {
    const found = parts.reduce((sum, hash) => sum + contents.get(hash)!.length, 0)
    if (found !== size) throw new Error(`${path} is not as long as it should be`)
  }
  return contents
}

async function fetched(
  hashes: Iterable<BlobHash>,
  { hub, at, signal }: RestoreParts,
): Promise<Map<BlobHash, Uint8Array>> {
  const contents = new Map<BlobHash, Uint8Array>()
  for await (const { hash, bytes } of fetchBlobs(hub, at, hashes, { signal })) {
    if (!bytes) throw new Error('the hub has lost a part of it')
    contents.set(hash, bytes)
  }
  return contents
}

/** The path of a file, with real folders above it: a link would lead elsewhere. */
function placeFor(folder: string, below: string): string {
  const names = below.split('/')
  let place = folder
  for (const name of names.slice(0, -1)) {
    place = path.join(place, name)
    const there = lstatSync(place, { throwIfNoEntry: false })
    if (there && !there.isDirectory()) rmSync(place)
    if (!there?.isDirectory()) mkdirSync(place, { mode: 0o700 })
  }
  const file = path.join(folder, ...names)
  rmSync(file, { recursive: true, force: true })
  return file
}
