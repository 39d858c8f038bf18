import { inParallel } from '@farhand/kit/in-parallel'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, exchange } from '../requests/call.ts'
import { type Hub, useUrl } from '../requests/hub.ts'
import { isPassing, Refusal } from '../requests/refusal.ts'
import { withRetries } from '../requests/retry.ts'
import { fileUrls, isStale, mostRefusals } from './file-urls.ts'

/** A blob that may have to be sent. `open` is called for every try, and only if the hub does not have it. */
export type BlobSource = {
  hash: BlobHash
  size: number
  open: () => Blob | Uint8Array | Promise<Blob | Uint8Array>
}

export type UploadOptions = CallOptions & { concurrency?: number }

export type Upload = {
  uploaded: BlobHash[]
  /** Blobs that could not be opened or that the hub refused, most often because the file changed meanwhile. */
  refused: { hash: BlobHash; why: unknown }[]
}

/**
 * Makes sure that the hub has these blobs. It sends only what is missing, so calling it again after a crash sends
 * only the rest. A blob that is refused does not hold up the others; a hub that cannot be reached, or cannot store
 * anything now, is thrown.
 */
export async function uploadBlobs(
  hub: Hub,
  at: RunAddress,
  sources: Iterable<BlobSource>,
  options: UploadOptions = {},
): Promise<Upload> {
  const { concurrency = 8 } = options
  const upload: Upload = { uploaded: [], refused: [] }
  const wanted = [...new Map([...sources].map((source) => [source.hash, source])).values()]
  for (let from = 0; from < wanted.length; from += limits.hashesPerRequest) {
    const batch = wanted.slice(from, from + limits.hashesPerRequest)
    const hashes = batch.map(({ hash }) => hash)
    const { missing } = await fileUrls(hub, at, hashes, options)
    const toSend = batch.filter(({ hash }) => missing[hash] !== undefined)
    // They share one connection: each is slowed down by the others.
    const abreast = Math.min(concurrency, toSend.length)
    await inParallel(toSend, concurrency, options.signal, async (source, signal) => {
      try {
        await uploadOne(hub, at, source, missing[source.hash], { ...options, abreast, signal })
        upload.uploaded.push(source.hash)
      } catch (error) {
        // The caller may hash this one file again; the others need not wait for that.
        signal.throwIfAborted()
        if (!isAboutTheBlob(error)) throw error
        upload.refused.push({ hash: source.hash, why: error instanceof Unopened ? error.cause : error })
      }
    })
  }
  return upload
}

async function uploadOne(
  hub: Hub,
  at: RunAddress,
  source: BlobSource,
  firstUrl: string | undefined,
  options: CallOptions & { abreast: number },
): Promise<void> {
  let url = firstUrl
  for (let refusals = 0; ; refusals++) {
    // No address to write to means that the hub has got the blob meanwhile.
    url ??= (await fileUrls(hub, at, [source.hash], options)).missing[source.hash]
    if (url === undefined) return
    const stale = await put(hub, url, source, options)
    if (!stale) return
    if (refusals >= mostRefusals) throw stale.why
    url = undefined
  }
}

/** Sends a blob to its address; returns the error if the address was refused, since trying it again would not help. */
function put(
  hub: Hub,
  url: string,
  source: BlobSource,
  options: CallOptions & { abreast: number },
): Promise<{ why: unknown } | null> {
  const headers = { 'content-type': 'application/octet-stream' }
  return withRetries(async () => {
    const body = await open(source)
    const send = (signal: AbortSignal) => useUrl(hub, url, { method: 'PUT', headers, body, signal })
    try {
      await exchange(send, source.size * options.abreast, options, (response) => response.arrayBuffer())
      return null
    } catch (why) {
      if (!isStale(why)) throw why
      return { why }
    }
  }, options)
}

class Unopened extends Error {}

async function open(source: BlobSource): Promise<Blob> {
  try {
    return (await source.open()) as Blob
  } catch (cause) {
    throw new Unopened('the blob could not be opened', { cause })
  }
}

function isAboutTheBlob(error: unknown): boolean {
  return error instanceof Unopened || (error instanceof Refusal && !isPassing(error))
}
