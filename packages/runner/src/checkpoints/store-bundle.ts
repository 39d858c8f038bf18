import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobSource, uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CheckpointRepository } from './git/checkpoint-repository.ts'

type Parts = {
  repository: CheckpointRepository
  scratch: string
  hub: Hub
  at: RunAddress
  signal: AbortSignal
}

/** The blobs of a bundle; a complete bundle also has the index of its pack. */
export type Stored = { bundle: BlobHash; packIndex?: BlobHash }

/**
 * Writes a bundle of what was kept after checkpoint `after` up to `number`, into files called `bundle…`, and stores
 * it at the hub.
 */
export async function storeBundle(
  { repository, scratch, hub, at, signal }: Parts,
  after: number,
  number: number,
  window: number,
): Promise<Stored> {
  const file = join(scratch, 'bundle')
  const sources: BlobSource[] = []
  if (after < 0) {
    const { head, pack, index } = await repository.pack(file, number, { window, signal })
    sources.push(await joined(head, pack, file), await sourceOf(index))
  } else {
    await repository.bundle(file, after, number, { window, signal })
    sources.push(await sourceOf(file))
  }
  const { refused } = await uploadBlobs(hub, at, sources, { signal, patienceMs: Number.POSITIVE_INFINITY })
  if (refused[0]) throw refused[0].why
  const [bundle, packIndex] = sources.map(({ hash }) => hash)
  return { bundle: bundle!, ...(packIndex && { packIndex }) }
}

async function sourceOf(file: string): Promise<BlobSource> {
  const hasher = createHash('sha256')
  for await (const piece of piecesOf(file)) hasher.update(piece)
  return named(hasher.digest('hex'), file)
}

/** Concatenates header and pack into one file, and hashes it on the way. */
async function joined(head: string, pack: string, file: string): Promise<BlobSource> {
  const hasher = createHash('sha256').update(head)
  const to = await open(file, 'w', 0o600)
  try {
    await to.write(head)
    for await (const piece of piecesOf(pack)) {
      hasher.update(piece)
      await to.write(piece)
    }
  } finally {
    await to.close()
  }
  return named(hasher.digest('hex'), file)
}

const piecesOf = (file: string): AsyncIterable<Buffer> =>
  createReadStream(file, { highWaterMark: 1024 * 1024 })

const named = (hex: string, file: string): BlobSource => ({
  hash: BlobHash.parse(`sha256_${hex}`),
  size: statSync(file).size,
  open: () => openAsBlob(file),
})
