import { pipeline } from 'node:stream/promises'
import { blobName } from '@farhand/protocol/compatibility/translate-message'
import { BlobsRequest, FileUrlsRequest } from '@farhand/protocol/schemas/api'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { packType } from '@farhand/protocol/wire/pack'
import { type FileAction, readFileAddress, signFileAddress } from '../../access/file-address.ts'
import type { OwnedRun } from '../../runs/run-directory.ts'
import { rememberBlob } from '../../store/project-blobs.ts'
import { readJson, streamBody } from '../exchange/body.ts'
import { answerJson, type Exchange, header, parse } from '../exchange/exchange.ts'
import { sendPieces } from '../exchange/send-pieces.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { authorizedRun } from './authorized-run.ts'
import { blobsFor, useBlobs } from './use-blobs.ts'

/** `GET /sync/file-url?hash=`: a signed URL for one blob of the run's project (W24). */
export async function getFileUrl(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, query } = exchange
  const run = await authorizedRun(parts, exchange)
  const hash = parse(BlobHash, blobName(query.get('hash') ?? ''), 'hash')
  const known = await useBlobs(parts, run, [hash])
  if (!known.has(hash)) throw new Fault('blob.unknown', 'this project has no such blob')
  answerJson(res, 200, { url: address(parts, exchange, 'get', run, hash) })
}

/** `POST /sync/file-urls`: signed URLs for many blobs: to read those the project has, to write those it lacks (W24). */
export async function postFileUrls(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res } = exchange
  const run = await authorizedRun(parts, exchange)
  const { hashes } = parse(FileUrlsRequest, inOurNames(await readJson(req, parts.config.bodyTimeoutMs)))
  const known = await useBlobs(parts, run, hashes)
  const mayWrite = await parts.directory.may({ ...exchange, needs: 'work' }, run)
  const urls: Record<string, string> = {}
  const missing: Record<string, string> = {}
  for (const hash of hashes) {
    if (known.has(hash)) urls[hash] = address(parts, exchange, 'get', run, hash)
    else if (mayWrite) missing[hash] = address(parts, exchange, 'put', run, hash)
  }
  answerJson(res, 200, { urls, missing })
}

/** Adds the prefix to hashes that were sent without it (W63). Invalid values are left for the schema to refuse. */
function inOurNames(asked: unknown): unknown {
  if (typeof asked !== 'object' || asked === null || !('hashes' in asked) || !Array.isArray(asked.hashes))
    return asked
  return { ...asked, hashes: asked.hashes.map((hash) => (typeof hash === 'string' ? blobName(hash) : hash)) }
}

/** `POST /sync/blobs`: many blobs in one answer, as a pack (W32). */
export async function postBlobs(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res } = exchange
  const run = await authorizedRun(parts, exchange)
  const { hashes } = parse(BlobsRequest, inOurNames(await readJson(req, parts.config.bodyTimeoutMs)))
  const known = await blobsFor(parts, exchange.who, run, hashes)
  const headers = { 'Content-Type': packType, 'Cache-Control': 'no-store' }
  await sendPieces(res, headers, parts.blobs.records(hashes, known))
}

/** `PUT .../files/{hash}` with a token: how programs of seeds 000 and 001 store blobs (W66). */
export async function putRunFile(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  const hash = parse(BlobHash, blobName(exchange.params.hash ?? ''), 'hash')
  await storeFile(parts, exchange, run.project, hash)
}

/** `GET .../files/{hash}` with a token (W66): of a blob that the run's project has. */
export async function getRunFile(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await authorizedRun(parts, exchange)
  const hash = parse(BlobHash, blobName(exchange.params.hash ?? ''), 'hash')
  const known = await blobsFor(parts, exchange.who, run, [hash])
  if (!known.has(hash)) throw new Fault('blob.unknown', 'this project has no such blob')
  await sendFile(parts, exchange, hash)
}

/** `PUT /files/{hash}` on a signed URL: stores the bytes if they hash to their name. */
export async function putFile(parts: HubParts, exchange: Exchange): Promise<void> {
  const { project, hash } = open(parts, 'put', exchange)
  await storeFile(parts, exchange, project, hash)
}

async function storeFile(
  parts: HubParts,
  { req, res }: Exchange,
  project: ProjectId,
  hash: BlobHash,
): Promise<void> {
  const { maxBlobBytes, bodyTimeoutMs } = parts.config
  if (Number(header(req, 'content-length') ?? 0) > maxBlobBytes) {
    throw new Fault('request.too-large', `file contents may have ${maxBlobBytes} bytes here`)
  }
  const bytes = streamBody(req, { bytes: maxBlobBytes, timeoutMs: bodyTimeoutMs })
  const { size } = await parts.blobs.put(hash, bytes, (stored) =>
    rememberBlob(parts.db, project, hash, stored, new Date()),
  )
  answerJson(res, 201, { hash, size })
}

/** `GET /files/{hash}` on a signed URL: the bytes, with `Range` from a byte on. */
export async function getFile(parts: HubParts, exchange: Exchange): Promise<void> {
  const { hash } = open(parts, 'get', exchange)
  await sendFile(parts, exchange, hash)
}

async function sendFile(parts: HubParts, { req, res }: Exchange, hash: BlobHash): Promise<void> {
  const whole = await parts.blobs.size(hash)
  if (whole === null) throw new Fault('blob.unknown', 'there is no such blob')
  const start = rangeStart(header(req, 'range'), whole)
  const { size, bytes } = await parts.blobs.get(hash, start)
  if (start > 0) res.setHeader('Content-Range', `bytes ${start}-${size - 1}/${size}`)
  res.writeHead(start > 0 ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': size - start,
    'Accept-Ranges': 'bytes',
    ETag: `"${hash}"`,
    // Each signed URL is different, so a cached copy is never reused; it would only stay behind after the user signs out.
    'Cache-Control': 'no-store',
    // An agent or a user wrote this content, and it comes from the origin of the cookie: a browser must not show it as a page.
    'Content-Disposition': 'attachment',
  })
  await pipeline(bytes, res)
}

function address(
  parts: HubParts,
  { req }: Exchange,
  deed: FileAction,
  run: OwnedRun,
  hash: BlobHash,
): string {
  const base = parts.config.publicUrl ?? `http://${header(req, 'host')}`
  const path = signFileAddress(parts.secret, deed, run.project, hash, Date.now() + parts.config.urlMs)
  return new URL(path, base).href
}

function open(parts: HubParts, deed: FileAction, { params, query, trust }: Exchange) {
  const opened = readFileAddress(
    parts.secret,
    deed,
    params.hash ?? '',
    query,
    Date.now(),
    parts.config.urlMs + 60_000,
  )
  if (!opened)
    throw new Fault('blob.url-refused', 'this address is not valid any more; ask file-urls for a new one')
  trust()
  return opened
}

/** The first byte to send. An unknown or empty range is ignored, and the whole blob is sent. */
function rangeStart(range: string | undefined, size: number): number {
  const match = /^bytes=(\d{1,15})-$/.exec(range ?? '')
  const start = match ? Number(match[1]) : 0
  return start < size ? start : 0
}
