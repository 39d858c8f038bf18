import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/hub'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { RunAddress } from '@farhand/protocol/routes'

/** A text that lies in a blob of the run. Rejects with words for people. */
export async function wholeOutput(hub: Hub, at: RunAddress, hash: string): Promise<string> {
  // A page from http:// in the local network has nothing to hash with.
  const unverified = globalThis.crypto?.subtle === undefined
  const wanted = new Set([hash as BlobHash])
  const found = fetchBlobs(hub, at, wanted, unverified ? { unverified: true } : {})
  for await (const { bytes } of found) if (bytes) return new TextDecoder().decode(bytes)
  throw new Error('the hub no longer has it')
}
