import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import { type Exchange, wholeNumber } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { authorizedRun } from './authorized-run.ts'

// At most two pieces are in memory for a reader that has stalled.
const pieceBytes = 1024 * 1024

/** `GET /sync/log`: the stored lines after a cursor, byte for byte as they are on disk, up to now (W24b). */
export async function getLog(parts: HubParts, exchange: Exchange): Promise<void> {
  const { res, query } = exchange
  const run = await authorizedRun(parts, exchange)
  const after = wholeNumber(query.get('after'), 'after') ?? 0
  const { lastId } = await parts.log.head(run.id)
  if (after > lastId) throw new Fault('cursor.ahead', `this log ends at ${lastId}`, { current: lastId })
  res.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' })
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  // The next piece is read while the last one is being written.
  let next = parts.log.read(run.id, after, pieceBytes)
  for (;;) {
    const piece = await next
    if (piece === null || res.destroyed) break
    next = piece.lastId < lastId ? parts.log.read(run.id, piece.lastId, pieceBytes) : Promise.resolve(null)
    next.catch(() => {})
    if (!res.write(piece.bytes)) await drained(res, gone.signal, parts.config.bodyTimeoutMs)
  }
  res.end()
}

/** Resolves when the response can take more or the reader is gone. A reader that stalls for too long is disconnected. */
async function drained(res: ServerResponse, gone: AbortSignal, patienceMs: number): Promise<void> {
  const stalled = AbortSignal.timeout(patienceMs)
  await once(res, 'drain', { signal: AbortSignal.any([gone, stalled]) }).catch(() => {})
  if (stalled.aborted) res.destroy()
}
