import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** The bytes of a blob of the run. Rejects with words for people. */
export async function fetchRunBlob(hub: Hub, at: RunAddress, hash: string): Promise<Uint8Array> {
  // A page from http:// in the local network has nothing to hash with.
  const unverified = globalThis.crypto?.subtle === undefined
  const wanted = new Set([hash as BlobHash])
  const found = fetchBlobs(hub, at, wanted, unverified ? { unverified: true } : {})
  for await (const { bytes } of found) if (bytes) return bytes
  throw new Error('the hub no longer has it')
}
