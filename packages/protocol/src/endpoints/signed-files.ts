import { z } from 'zod'
import { StoredBlob } from '../schemas/api.ts'
import type { BlobHash } from '../wire/blob-hash.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'

const file = paths.file('{hash}' as BlobHash)
const bytes = { 'application/octet-stream': null }

/** Blobs at signed addresses, which need no token (W24). */
export const signedFiles = {
  putFile: {
    method: 'PUT',
    path: file,
    summary: 'Store the bytes of a blob, at an address from file-urls (W24)',
    who: 'address',
    body: bytes,
    answers: { 201: { says: 'Durable', bodies: json(StoredBlob) } },
    faults: ['blob.url-refused', 'blob.mismatch', 'request.too-large', 'request.timeout', 'storage.full'],
  },
  getFile: {
    method: 'GET',
    path: file,
    summary: 'The bytes of a blob, at an address from file-url or file-urls (W24)',
    who: 'address',
    headers: z.object({ Range: z.string().optional().describe('`bytes=<n>-`: from byte n to the end.') }),
    answers: {
      200: { says: 'The whole blob', bodies: bytes },
      206: { says: 'The rest of the blob', bodies: bytes },
    },
    faults: ['blob.url-refused', 'blob.unknown'],
  },
} as const satisfies Record<string, Endpoint>
