import type { IncomingMessage } from 'node:http'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { BadPatch, patchedSize, patchType, readPatch } from '@farhand/protocol/wire/patch'
import { rememberBlob } from '../../store/project-blobs.ts'
import { readBody } from '../exchange/body.ts'
import { answerJson, type Exchange, header, parse } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { authorizedRun } from './authorized-run.ts'
import { useBlobs } from './use-blobs.ts'

/** `PUT /sync/patch?hash=`: stores a blob, sent as a patch of another blob of the same project (W35). */
export async function putPatch(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, query } = exchange
  const run = await authorizedRun(parts, exchange)
  const hash = parse(BlobHash, query.get('hash') ?? '', 'hash')
  checkType(req)
  const { maxBlobBytes, bodyTimeoutMs } = parts.config
  const body = await readBody(req, { bytes: limits.requestBytes, timeoutMs: bodyTimeoutMs })
  const patch = { ...read(body), bytes: body }
  if (patchedSize(patch.parts) > maxBlobBytes) {
    throw new Fault('request.too-large', `file contents may have ${maxBlobBytes} bytes here`)
  }
  const known = await useBlobs(parts, run, [patch.base])
  if (!known.has(patch.base)) throw new Fault('blob.unknown', 'this project has no such base; send it whole')
  const { size } = await parts.blobs.putPatched(hash, patch, (stored) =>
    rememberBlob(parts.db, run.project, hash, stored, new Date()),
  )
  answerJson(res, 201, { hash, size })
}

/** `GET /sync/patch?hash=&base=`: the patch that makes this blob from one that the reader has (W35). */
export async function getPatch(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, query } = exchange
  const run = await authorizedRun(parts, exchange)
  const hash = parse(BlobHash, query.get('hash') ?? '', 'hash')
  const base = parse(BlobHash, query.get('base') ?? '', 'base')
  const known = await useBlobs(parts, run, [hash, base])
  // Both must be the project's own: another project may have made the patch from a blob that this one must not see (W24).
  const patch = known.has(hash) && known.has(base) ? await parts.blobs.patchOf(hash, base) : null
  if (!patch) throw new Fault('blob.unknown', 'there is no such patch; ask for the whole')
  res.writeHead(200, {
    'Content-Type': patchType,
    'Content-Length': patch.length,
    'Cache-Control': 'no-store',
  })
  res.end(patch)
}

function read(body: Buffer) {
  try {
    return readPatch(body)
  } catch (error) {
    if (!(error instanceof BadPatch)) throw error
    throw malformed('body', error.message, error)
  }
}

function checkType(req: IncomingMessage): void {
  const said = (header(req, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (said === patchType) return
  throw new Fault('request.unsupported-type', `content-type: expected ${patchType}`, {
    field: 'content-type',
  })
}
