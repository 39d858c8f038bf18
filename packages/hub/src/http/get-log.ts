import { once } from 'node:events'
import { Fault } from '@farhand/protocol/faults'
import { type Exchange, wholeNumber } from './exchange.ts'
import type { Rooms } from './rooms.ts'
import { checkSessionId } from './session-id.ts'

const pieceBytes = 1024 * 1024

/** `GET /sync/log`: the stored lines after a cursor, byte for byte as they are on disk, up to now (W24b). */
export async function getLog(rooms: Rooms, { req, res, params, query, who }: Exchange): Promise<void> {
  const run = await rooms.directory.run(who!, params)
  checkSessionId(req, run.id)
  const after = wholeNumber(query.get('after'), 'after') ?? 0
  const { lastId } = await rooms.log.head(run.id)
  if (after > lastId) throw new Fault('cursor.ahead', `this log ends at ${lastId}`, { current: lastId })
  res.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8', 'Cache-Control': 'no-store' })
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  // The next piece is read while the last one is being written.
  let next = rooms.log.read(run.id, after, pieceBytes)
  for (;;) {
    const piece = await next
    if (piece === null || res.destroyed) break
    next = piece.lastId < lastId ? rooms.log.read(run.id, piece.lastId, pieceBytes) : Promise.resolve(null)
    next.catch(() => {})
    if (!res.write(piece.bytes)) await once(res, 'drain', { signal: gone.signal }).catch(() => {})
  }
  res.end()
}
