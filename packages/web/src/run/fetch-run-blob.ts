import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** Fetches a blob of the run. Rejects with a message for the user. */
export async function fetchRunBlob(hub: Hub, at: RunAddress, hash: string): Promise<Uint8Array> {
  // // An http:// page in the local network has no `crypto.subtle`.
  const unverified = globalThis.crypto?.subtle === undefined
  const wanted = new Set([hash as BlobHash])
  const found = fetchBlobs(hub, at, wanted, unverified ? { unverified: true } : {})
  for await (const { bytes } of found) if (bytes) return bytes
  throw new Error('the hub no longer has it')
}
