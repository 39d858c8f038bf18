import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { PackIndex } from './pack-index.ts'
import type { Trash } from './trash.ts'

/** Moves blobs back from the trash that the tables still know: tables restored from a backup may list blobs that were removed later. */
export async function restoreFromTrash(dir: string, index: PackIndex, trash: Trash): Promise<void> {
  const names = await trash.names()
  const hashes = names.flatMap((name) => BlobHash.safeParse(name).data ?? [])
  for (const [hash, { place }] of await index.find(hashes)) {
    const folder = join(dir, hash.slice(7, 9))
    if (place || (await isThere(join(folder, hash)))) continue
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await trash.bringBack(hash, join(folder, hash))
  }
  for (const name of names) {
    const segment = Number(/^(\d+)\.pack$/.exec(name)?.[1] ?? 0)
    const to = join(dir, 'packs', name)
    if (segment === 0 || (await index.usedBytes(segment)) === 0 || (await isThere(to))) continue
    await trash.bringBack(name, to)
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
