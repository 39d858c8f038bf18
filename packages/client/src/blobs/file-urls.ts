import { FileUrls } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'
import { statusOf } from '../requests/refusal.ts'

/** Where up to 1,000 blobs can be read, and where those that the project does not have can be written (W24). */
export function fileUrls(
  hub: Hub,
  at: RunAddress,
  hashes: readonly BlobHash[],
  options: CallOptions,
): Promise<FileUrls> {
  return call(hub, jsonRequest('POST', paths.fileUrls(at), { hashes }), FileUrls, options)
}

/** Whether a signed address was refused: most likely it has expired, and a new one helps. */
export function isStale(error: unknown): boolean {
  return statusOf(error) === 403
}

/** How many new addresses may be refused in a row before the error is thrown. */
export const mostRefusals = 3
