import { inParallel } from '@farhand/kit/in-parallel'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import { limits } from '@farhand/protocol/limits'
import type { RunAddress } from '@farhand/protocol/routes'
import { type CallOptions, exchange, persist } from '../call.ts'
import { type Hub, useUrl } from '../hub.ts'
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
  /** Those the hub would not take, most often because the file changed after it was hashed. */
  refused: { hash: BlobHash; why: unknown }[]
}

/**
 * Makes sure that the hub has these blobs. It sends only what is missing, so calling it again after a crash sends
 * only the rest. A blob that is refused does not hold up the others.
 */
export async function uploadBlobs(
  hub: Hub,
  at: RunAddress,
  sources: Iterable<BlobSource>,
  options: UploadOptions = {},
): Promise<Upload> {
  const upload: Upload = { uploaded: [], refused: [] }
  const wanted = [...new Map([...sources].map((source) => [source.hash, source])).values()]
  for (let from = 0; from < wanted.length; from += limits.hashesPerRequest) {
    const batch = wanted.slice(from, from + limits.hashesPerRequest)
    const hashes = batch.map(({ hash }) => hash)
    const { missing } = await fileUrls(hub, at, hashes, options)
    const toSend = batch.filter(({ hash }) => missing[hash] !== undefined)
    await inParallel(toSend, options.concurrency ?? 8, options.signal, async (source, signal) => {
      try {
        await uploadOne(hub, at, source, missing[source.hash], { ...options, signal })
        upload.uploaded.push(source.hash)
      } catch (why) {
        // The caller may hash this one file again; the others need not wait for that.
        signal.throwIfAborted()
        upload.refused.push({ hash: source.hash, why })
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
  options: CallOptions,
): Promise<void> {
  let url = firstUrl
  for (let refusals = 0; ; refusals++) {
    // Nothing to write to means that someone else has brought it meanwhile.
    url ??= (await fileUrls(hub, at, [source.hash], options)).missing[source.hash]
    if (url === undefined) return
    try {
      await put(hub, url, source, options)
      return
    } catch (error) {
      if (!isStale(error) || refusals >= mostRefusals) throw error
      url = undefined
    }
  }
}

function put(hub: Hub, url: string, source: BlobSource, options: CallOptions): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' }
  return persist(async () => {
    const body = (await source.open()) as Blob
    const send = (signal: AbortSignal) => useUrl(hub, url, { method: 'PUT', headers, body, signal })
    await exchange(send, source.size, options, (response) => response.arrayBuffer())
  }, options)
}
