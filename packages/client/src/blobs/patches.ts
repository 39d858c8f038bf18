import { StoredBlob } from '@farhand/protocol/api'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import { limits } from '@farhand/protocol/limits'
import { patchType } from '@farhand/protocol/patch'
import { paths, type RunAddress } from '@farhand/protocol/routes'
import { type CallOptions, exchange, persist } from '../call.ts'
import { ask, type Hub } from '../hub.ts'
import { isPassing, Refusal } from '../refusal.ts'

/**
 * Stores a blob by sending what is different from another one (W35). False if the hub would not have it: then it can
 * only be sent whole. `size` is that of the whole: what the hub may take its time for.
 */
export async function uploadPatch(
  hub: Hub,
  at: RunAddress,
  { hash, size, patch }: { hash: BlobHash; size: number; patch: Uint8Array },
  options: CallOptions = {},
): Promise<boolean> {
  const request = {
    method: 'PUT' as const,
    path: paths.patch(at),
    query: { hash },
    headers: { 'session-id': at.run, 'content-type': patchType },
    body: [patch],
  }
  const answer = await orRefused(options, () =>
    exchange(
      (signal) => ask(hub, request, signal),
      size,
      options,
      (response) => response.json(),
    ),
  )
  return StoredBlob.safeParse(answer).data?.hash === hash
}

/** What makes this blob of one that is here; null if the hub does not know. Nothing of it is verified. */
export async function downloadPatch(
  hub: Hub,
  at: RunAddress,
  { hash, base }: { hash: BlobHash; base: BlobHash },
  options: CallOptions = {},
): Promise<Uint8Array | null> {
  const request = { path: paths.patch(at), query: { hash, base }, headers: { 'session-id': at.run } }
  return orRefused(options, () =>
    exchange(
      (signal) => ask(hub, request, signal),
      limits.requestBytes,
      options,
      async (response) => {
        const bytes = new Uint8Array(await response.arrayBuffer())
        return response.headers.get('content-type') === patchType ? bytes : null
      },
    ),
  )
}

/** Whatever a hub says against a patch, an older one that knows none included, the whole is still to be had. */
async function orRefused<T>(options: CallOptions, attempt: () => Promise<T>): Promise<T | null> {
  try {
    return await persist(attempt, options)
  } catch (error) {
    if (error instanceof Refusal && !isPassing(error)) return null
    throw error
  }
}
