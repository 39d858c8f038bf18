import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { uploadPatch } from '@farhand/client/blobs/patches'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { post } from '@farhand/client/post/post'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { event } from '@farhand/protocol/events/event-names'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { BaseFailed } from './base-failed.ts'
import type { LastBase } from './last-base.ts'
import type { Base } from './make-base.ts'

export type PostBaseOptions = CallOptions & {
  signal: AbortSignal
  filesAreThere: Promise<unknown>
  /** Where it is remembered what this folder has sent before, so that only what is new has to travel. */
  last?: LastBase
  onStored: () => void
}

/** A smaller one is sent as fast as anybody could find out what is new in it. */
const leastBytes = 64 * 1024

/**
 * Stores the bundle and, once the files are in the log as well, says there that the run begins from it: whoever waits for
 * that finds everything. `hub` speaks as a device. Gives the size of the bundle, and of what was sent of it.
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
  // Under a key of its own: to be sure that it is there one may say it again.
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
