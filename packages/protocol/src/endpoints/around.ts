import { z } from 'zod'
import { Me, Ok, StoredBlob } from '../schemas/api.ts'
import type { BlobHash } from '../wire/blob-hash.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'

const file = paths.file('{hash}' as BlobHash)
const bytes = { 'application/octet-stream': null }
const ask = (path: string, summary: string, who: Endpoint['who'], bodies: Endpoint['body']): Endpoint => ({
  method: 'GET',
  path,
  summary,
  who,
  answers: { 200: { says: 'Now', bodies: bodies ?? {} } },
})

/** What is around the runs: contents on signed addresses, who is asking, the hub's own health. */
export const around = {
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
    answers: { 200: { says: 'All of it', bodies: bytes }, 206: { says: 'The rest of it', bodies: bytes } },
    faults: ['blob.url-refused', 'blob.unknown'],
  },
  getMe: ask(paths.me(), 'Whose token this is', 'user-or-runner', json(Me)),
  getOpenapi: ask(paths.openapi(), 'This document', 'anyone', json(z.looseObject({}))),
  getHealth: ask(paths.healthz(), 'Whether the process answers', 'anyone', json(Ok)),
  getReady: ask(paths.readyz(), 'Whether the hub takes work', 'anyone', json(Ok)),
  getMetrics: ask(paths.metrics(), 'Figures for Prometheus', 'near-or-user', { 'text/plain': null }),
} as const satisfies Record<string, Endpoint>
