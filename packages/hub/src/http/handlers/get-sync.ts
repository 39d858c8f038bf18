import { Fault } from '@farhand/protocol/wire/faults'
import type { OwnedRun } from '../../runs/run-directory.ts'
import { type Exchange, header, wholeNumber } from '../exchange/exchange.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { oneOf, readStreamForm, takesStream } from '../streams/read-stream-form.ts'
import { SseStream } from '../streams/sse-stream.ts'
import { authorizedRun } from './authorized-run.ts'
import { refuseExpired } from './refuse-expired.ts'

/** `GET /sync`: the log from a cursor on, then new events, as server-sent events (W16 to W21). */
export async function getSync(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, query, who } = exchange
  const run = await authorizedRun(parts, exchange)
  if (!takesStream(header(req, 'accept'))) {
    throw new Fault('request.not-acceptable', 'accept: this is a stream; ask for text/event-stream', {
      field: 'accept',
    })
  }
  const form = readStreamForm(query)
  // Our own clients may still read the log of an expired run, as they may that of a closed one.
  if (form.files === 'apart') await refuseExpired(parts, exchange, run)
  const wantsContents = oneOf(query, 'contents', 'along')
  const { lastId } = await parts.log.head(run.id)
  const after = oneOf(query, 'start', 'latest') ? lastId : readCursor(header(req, 'last-event-id'), query)
  if (after > lastId) {
    throw new Fault(
      'cursor.ahead',
      `this log ends at ${lastId}; continue from there or from an earlier event`,
      { current: lastId },
    )
  }
  const stream = new SseStream(res, form)
  parts.streams.add(stream, tokenOf(req)!, readerOf(exchange, run))
  if (oneOf(query, 'presence', '1')) joinPresence(parts, exchange, run, stream)
  const generation = who!.kind === 'runner' ? who!.generation : null
  stream.reader = parts.readers.follow(run.id, after, stream, generation)
  // A guest may read fewer blobs than this offers.
  if (wantsContents && who!.kind !== 'guest') {
    const leave = parts.inlineSubscribers.add(run.id, {
      by: who!.author,
      offer: (text) => stream.offer(text),
    })
    res.once('close', leave)
  }
  // The user may have been removed from the project between the check above and `streams.add`, which ends only what it knows.
  if (!parts.directory.known(exchange)) await parts.directory.run(exchange).catch(() => stream.leave())
}

const readerOf = ({ who }: Exchange, { project }: OwnedRun) =>
  who!.kind === 'user' ? { user: who!.user, project } : undefined

/** Once it has all events, the stream also says who looks at the run (W115). */
function joinPresence(parts: HubParts, { who, res }: Exchange, run: OwnedRun, stream: SseStream): void {
  let leave: (() => void) | null = null
  const reader = { isGuest: who!.kind === 'guest', tell: (text: string) => stream.offer(text) }
  stream.onLive = () => {
    leave ??= parts.presence.join(run.id, reader)
  }
  res.once('close', () => leave?.())
}

/** Seed 001 writes event ids with a prefix, `evt_12`; without it they are numbers (W63). */
const eventNumber = (text: string | null | undefined) => text?.replace(/^evt_/, '')

function readCursor(lastEventId: string | undefined, query: URLSearchParams): number {
  if (lastEventId !== undefined && lastEventId !== '')
    return wholeNumber(eventNumber(lastEventId), 'last-event-id')!
  return wholeNumber(eventNumber(query.get('last_event_id')), 'last_event_id') ?? 0
}
