import { FileUrl } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, useUrl } from '../requests/hub.ts'
import { statusOf, Unreachable } from '../requests/refusal.ts'
import { resumeStream } from '../requests/retry.ts'
import { streamBody } from '../requests/stream-body.ts'
import { isStale, mostRefusals } from './file-urls.ts'
import { type Hasher, webHasher } from './sha256.ts'

export type DownloadOptions = CallOptions & {
  /** Give a streaming one for large blobs, as `() => createHash('sha256')`. */
  newHasher?: () => Hasher
  /** A download that brings nothing for this long is continued on a new connection. */
  silenceMs?: number
}

/**
 * The bytes of a blob as they arrive, continued where a connection broke. Only when it ends without throwing were
 * they the right bytes: until then the caller must not use any of them.
 */
export async function* downloadBlob(
  hub: Hub,
  at: RunAddress,
  hash: BlobHash,
  options: DownloadOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const hasher = (options.newHasher ?? webHasher)()
  let url: string | undefined
  let received = 0
  let refusals = 0
  const rest = async function* () {
    url ??= (await call(hub, { path: paths.fileUrl(at), query: { hash } }, FileUrl, options)).url
    try {
      for await (const bytes of restOf(hub, url, received, options)) {
        hasher.update(bytes)
        received += bytes.length
        refusals = 0
        yield bytes
      }
    } catch (error) {
      if (!isStale(error) || ++refusals > mostRefusals) throw error
      url = undefined
      throw new Unreachable('the address of the blob was refused', error)
    }
  }
  yield* resumeStream(rest, options)
  const found = `sha256_${await hasher.digest('hex')}`
  if (found !== hash) throw new Fault('blob.mismatch', `asked for ${hash} and got the bytes of ${found}`)
}

/** The whole blob, verified; for contents that fit into memory. */
export async function readBlob(
  hub: Hub,
  at: RunAddress,
  hash: BlobHash,
  options?: DownloadOptions,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const bytes of downloadBlob(hub, at, hash, options)) pieces.push(bytes)
  return new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer())
}

/** What comes after the first `start` bytes. */
async function* restOf(
  hub: Hub,
  url: string,
  start: number,
  { signal, silenceMs = 30_000 }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  const headers: Record<string, string> = start > 0 ? { range: `bytes=${start}-` } : {}
  let skip = 0
  const onOpen = (response: Response) => {
    skip = response.status === 206 ? 0 : start
    const range = response.headers.get('content-range') ?? ''
    if (response.status === 206 && !range.startsWith(`bytes ${start}-`))
      throw new Unreachable(`got ${range} instead`)
  }
  const send = (signal: AbortSignal) => useUrl(hub, url, { headers, signal })
  try {
    for await (const bytes of streamBody({ send, onOpen, silenceMs, signal })) {
      const fresh = bytes.subarray(Math.min(skip, bytes.length))
      skip -= bytes.length - fresh.length
      if (fresh.length > 0) yield fresh
    }
  } catch (error) {
    // 416: there are no more bytes. The hash shows whether that was all.
    if (start > 0 && statusOf(error) === 416) return
    throw error
  }
}
