import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { uploadPatch } from '@farhand/client/blobs/patches'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { event } from '@farhand/protocol/events/event-names'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { BaseFailed } from './base-failed.ts'
import type { LastBase } from './last-base.ts'
import type { Base } from './make-base.ts'

export type PostBaseOptions = CallOptions & {
  signal: AbortSignal
  filesAreThere: Promise<unknown>
  /** The record of the last sent bundle, so that only the difference is sent. */
  last?: LastBase
  onStored: () => void
}

/** Sending a smaller bundle is as fast as computing a patch. */
const leastBytes = 64 * 1024

/**
 * Stores the bundle and, once the files are in the log as well, posts that the run begins from it. `hub` must write as
 * a device. Returns the size of the bundle, and the bytes that were sent.
 */
export async function postBase(
  hub: Hub,
  at: RunAddress,
  base: Base,
  { filesAreThere, onStored, last, ...options }: PostBaseOptions,
): Promise<{ bytes: number; sent: number }> {
  const { file, hash, headBytes, packIndex, remove: _, user, index, ...said } = base
  const { size } = await stat(file)
  const indexBytes = await readFile(packIndex)
  const indexHash = BlobHash.parse(`sha256_${createHash('sha256').update(indexBytes).digest('hex')}`)
  const bundle = { hub: hub.url, project: at.project, hash, bytes: size, headBytes }
  const patch = size < leastBytes ? null : await last?.patchTo({ ...bundle, file, index: indexBytes })
  const isPatched = !!patch && (await uploadPatch(hub, at, { hash, size, patch }, options))
  const sources = [
    { hash, size, open: () => openAsBlob(file) },
    { hash: indexHash, size: indexBytes.length, open: () => indexBytes },
  ]
  const { refused } = await uploadBlobs(hub, at, sources, options)
  if (refused[0])
    throw new BaseFailed(
      `The hub does not take the repository: ${(refused[0].why as Error).message}.`,
      'What it takes at most is its setting --max-blob-bytes.',
      refused[0].why,
    )
  await last?.save(bundle, indexBytes)
  onStored()
  const params = {
    ...said,
    ...(index !== null && { index }),
    ...(user && { user }),
    upTo: 0,
    bundle: hash,
    packIndex: indexHash,
  }
  // With a key, so that it can be posted again safely.
  const say = (kind: 'history' | 'base') => {
    const told = event('git_commit', { kind, ...params })
    return post(hub, at, told, { ...options, key: `${kind}/${hash.slice(-32)}` })
  }
  const sooner = await Promise.race([filesAreThere, aMoment()])
  if (sooner === 'not yet') await say('history')
  await filesAreThere
  await say('base')
  return { bytes: size, sent: isPatched ? patch.length : size }
}

const aMoment = () => new Promise<'not yet'>((resolve) => setImmediate(resolve, 'not yet'))
