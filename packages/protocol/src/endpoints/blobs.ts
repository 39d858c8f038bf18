import { z } from 'zod'
import { BlobsRequest, FileUrl, FileUrls, FileUrlsRequest, StoredBlob } from '../schemas/api.ts'
import { BlobHash } from '../wire/blob-hash.ts'
import { packType } from '../wire/pack.ts'
import { patchType } from '../wire/patch.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, ofRun, template } from './endpoint.ts'

const bodyFaults = ['runner.fenced', 'request.too-large', 'request.unsupported-type'] as const
const bytes = { 'application/octet-stream': null }
const RangeHeader = z.object({
  Range: z.string().optional().describe('`bytes=<n>-`: from byte n to the end.'),
})

/** Reading and writing the blobs of a run (W24, W31, W32, W35, W66). */
export const blobs = {
  getFileUrl: ofRun({
    method: 'GET',
    path: template(paths.fileUrl),
    summary: 'An address for one blob, for a while (W24)',
    who: 'user-or-runner',
    query: z.object({ hash: BlobHash }),
    answers: { 200: { says: 'Where to get it', bodies: json(FileUrl) } },
    faults: ['blob.unknown'],
  }),
  postFileUrls: ofRun({
    method: 'POST',
    path: template(paths.fileUrls),
    summary: 'Addresses for many blobs: to read those that are there, to write those that are not (W24)',
    who: 'user-or-runner',
    // Addresses to write are given only to those who may work there.
    needs: 'view',
    body: json(FileUrlsRequest),
    answers: { 200: { says: 'By hash', bodies: json(FileUrls) } },
    faults: ['request.too-large', 'request.unsupported-type'],
  }),
  postBlobs: ofRun({
    method: 'POST',
    path: template(paths.blobs),
    summary: 'Many blobs in one answer (W32)',
    who: 'user-or-runner',
    needs: 'view',
    guests: true,
    body: json(BlobsRequest),
    answers: { 200: { says: 'A pack, in the order asked', bodies: { [packType]: null } } },
    faults: bodyFaults,
  }),
  putRunFile: ofRun({
    method: 'PUT',
    path: template((at: RunAddress) => paths.runFile(at, '{hash}')),
    summary: 'Store the bytes of a blob under its hash, with a token instead of a signed address (W66)',
    who: 'user-or-runner',
    body: bytes,
    answers: { 201: { says: 'Durable', bodies: json(StoredBlob) } },
    faults: ['runner.fenced', 'blob.mismatch', 'request.too-large', 'storage.full'],
  }),
  getRunFile: ofRun({
    method: 'GET',
    path: template((at: RunAddress) => paths.runFile(at, '{hash}')),
    summary: 'The bytes of a blob, with a token instead of a signed address (W66)',
    who: 'user-or-runner',
    guests: true,
    headers: RangeHeader,
    answers: {
      200: { says: 'The whole blob', bodies: bytes },
      206: { says: 'The rest of the blob', bodies: bytes },
    },
    faults: ['runner.fenced', 'blob.unknown'],
  }),
  putPatch: ofRun({
    method: 'PUT',
    path: template(paths.patch),
    summary: 'Store a blob by its differences from one that is stored already (W35)',
    who: 'user-or-runner',
    query: z.object({ hash: BlobHash.describe('The hash of the resulting blob.') }),
    body: { [patchType]: null },
    answers: { 201: { says: 'The resulting blob is stored durably', bodies: json(StoredBlob) } },
    faults: [...bodyFaults, 'blob.unknown', 'blob.mismatch', 'storage.full', 'hub.busy'],
  }),
  getPatch: ofRun({
    method: 'GET',
    path: template(paths.patch),
    summary: 'The differences between a blob and one that the reader has, if the hub knows them (W35)',
    who: 'user-or-runner',
    query: z.object({ hash: BlobHash, base: BlobHash.describe('The blob that the reader has.') }),
    answers: { 200: { says: 'A patch', bodies: { [patchType]: null } } },
    faults: ['runner.fenced', 'blob.unknown'],
  }),
} as const satisfies Record<string, Endpoint>

const file = paths.file('{hash}' as BlobHash)

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
    headers: RangeHeader,
    answers: {
      200: { says: 'The whole blob', bodies: bytes },
      206: { says: 'The rest of the blob', bodies: bytes },
    },
    faults: ['blob.url-refused', 'blob.unknown'],
  },
} as const satisfies Record<string, Endpoint>
