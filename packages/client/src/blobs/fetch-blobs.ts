import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import { BadPack, PackReader, type PackRecord } from '@farhand/protocol/wire/pack'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import type { CallOptions } from '../requests/call.ts'
import { ask, type Hub, jsonRequest } from '../requests/hub.ts'
import { Unreachable } from '../requests/refusal.ts'
import { resumeStream } from '../requests/retry.ts'
import { streamBody } from '../requests/stream-body.ts'
import { type Hasher, webHasher } from './sha256.ts'

export type FetchBlobsOptions = CallOptions & {
  /** Called for every blob; a hasher of `node:crypto` is faster than the default. */
  newHasher?: () => Hasher
  /** For callers that verify the bytes themselves before they use them. */
  unverified?: true
  /** An answer that brings nothing for this long is continued on a new connection. */
  silenceMs?: number
}

/** A blob with its bytes, or why there are none: the project does not have it, or the hub's copy is damaged. */
export type FetchedBlob =
  | { hash: BlobHash; bytes: Uint8Array }
  | { hash: BlobHash; bytes: null; why: 'missing' | 'damaged' }

// One record has to be held in memory as a whole; larger blobs are fetched one by one.
const mostBytes = 64 * 1024 * 1024

/**
 * Many small blobs in few requests, each verified and yielded as soon as it arrives; after a broken connection the missing
 * ones are requested again. Every hash is answered once, in the order of the request. Large blobs are for `downloadBlob`,
 * which needs no memory for them and continues within one.
 */
export async function* fetchBlobs(
  hub: Hub,
  at: RunAddress,
  hashes: Iterable<BlobHash>,
  options: FetchBlobsOptions = {},
): AsyncGenerator<FetchedBlob, void, undefined> {
  const waiting = new Set(hashes)
  const rest = async function* () {
    while (waiting.size > 0) {
      const wanted = [...waiting].slice(0, limits.hashesPerRequest)
      for await (const record of records(hub, at, wanted, options)) {
        if (record.kind === 'events' || !waiting.has(record.hash))
          throw new Unreachable('the answer holds a blob that was not requested')
        const fetched = await opened(record, options)
        waiting.delete(record.hash)
        yield fetched
      }
      if (wanted.some((hash) => waiting.has(hash))) throw new Unreachable('the answer ended too early')
    }
  }
  yield* resumeStream(rest, options)
}

async function* records(
  hub: Hub,
  at: RunAddress,
  hashes: readonly BlobHash[],
  { signal, silenceMs = 30_000 }: FetchBlobsOptions,
): AsyncGenerator<PackRecord> {
  const request = jsonRequest('POST', paths.blobs(at), { hashes }, { 'session-id': at.run })
  const reader = new PackReader({ mostBytes })
  try {
    for await (const bytes of streamBody({ send: (signal) => ask(hub, request, signal), silenceMs, signal }))
      yield* reader.feed(bytes)
    reader.end()
  } catch (error) {
    throw error instanceof BadPack ? new Unreachable(error.message, error) : error
  }
}

async function opened(
  record: Exclude<PackRecord, { kind: 'events' }>,
  { unverified, newHasher = webHasher }: FetchBlobsOptions,
): Promise<FetchedBlob> {
  const { kind, hash } = record
  if (kind === 'missing') return { hash, bytes: null, why: 'missing' }
  const { bytes } = record
  if (unverified) return { hash, bytes }
  const hasher = newHasher()
  hasher.update(bytes)
  const found = `sha256_${await hasher.digest('hex')}`
  return found === hash ? { hash, bytes } : { hash, bytes: null, why: 'damaged' }
}
