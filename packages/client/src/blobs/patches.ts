import { StoredBlob } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import { patchType } from '@farhand/protocol/wire/patch'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, exchange } from '../requests/call.ts'
import { ask, type Hub } from '../requests/hub.ts'
import { readText } from '../requests/read-answer.ts'
import { isPassing, Refusal } from '../requests/refusal.ts'
import { withRetries } from '../requests/retry.ts'

const mostRefusals = 3

/**
 * Stores a blob by sending its differences from another one (W35). False if the hub refuses the patch: then the blob has to be
 * sent whole. `size` is that of the whole blob: the hub gets more time for a larger one.
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
      async (response) => JSON.parse(await readText(response, limits.eventBytes)),
    ),
  )
  return StoredBlob.safeParse(answer).data?.hash === hash
}

/** The patch that makes this blob out of a base that the caller has; null if the hub has none. It is not verified. */
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
      (response) => readPatchBytes(response),
    ),
  )
}

/** Null if the answer is no patch, or too long: an endless answer must not fill the memory. */
async function readPatchBytes(response: Response): Promise<Uint8Array | null> {
  const reader = response.body?.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  const isPatch = response.headers.get('content-type') === patchType
  while (isPatch && length <= limits.requestBytes) {
    const piece = await reader?.read()
    if (!piece || piece.done) return joined(pieces, length)
    pieces.push(piece.value)
    length += piece.value.length
  }
  await reader?.cancel()
  return null
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * Null if the hub refuses, also because it is too old to know patches: the whole blob can still be sent or fetched.
 * Passing errors get only a few tries, because a hub may be able to do everything but patches.
 */
function orRefused<T>(options: CallOptions, attempt: () => Promise<T>): Promise<T | null> {
  let refusals = 0
  return withRetries(async () => {
    try {
      return await attempt()
    } catch (error) {
      // A hub that is stopping has not judged the patch: after its restart it may take it.
      if (!(error instanceof Refusal) || error.code === 'hub.stopping') throw error
      if (!isPassing(error) || ++refusals === mostRefusals) return null
      throw error
    }
  }, options)
}
