import { Fault } from '@farhand/protocol/faults'
import { type Exchange, header, wholeNumber } from './exchange.ts'
import type { FrameChoice } from './frames.ts'
import { reachRun } from './reach-run.ts'
import type { Rooms } from './rooms.ts'
import { SseStream } from './sse.ts'
import { tokenOf } from './token-cookie.ts'

/** `GET /sync`: the log from a cursor on, then whatever comes, as server-sent events (W16 to W21). */
export async function getSync(rooms: Rooms, exchange: Exchange): Promise<void> {
  const { req, res, query, who } = exchange
  const run = await reachRun(rooms, exchange)
  if (!/\btext\/event-stream\b/.test(header(req, 'accept') ?? '')) {
    throw new Fault('request.not-acceptable', 'accept: this is a stream; ask for text/event-stream', {
      field: 'accept',
    })
  }
  const form = readForm(query)
  const wantsContents = oneOf(query, 'contents', 'along')
  const { lastId } = await rooms.log.head(run.id)
  const after = oneOf(query, 'start', 'latest') ? lastId : readCursor(header(req, 'last-event-id'), query)
  if (after > lastId) {
    throw new Fault(
      'cursor.ahead',
      `this log ends at ${lastId}; continue from there or from an earlier event`,
      {
        current: lastId,
      },
    )
  }
  res.setHeader('Session-Id', run.id)
  const stream = new SseStream(res, form)
  rooms.streams.add(stream, tokenOf(req)!)
  const generation = who!.kind === 'runner' ? who!.generation : null
  stream.reader = rooms.audiences.follow(run.id, after, stream, generation)
  if (!wantsContents) return
  const leave = rooms.companions.add(run.id, { by: who!.author, offer: (text) => stream.offer(text) })
  res.once('close', leave)
}

function readCursor(lastEventId: string | undefined, query: URLSearchParams): number {
  if (lastEventId !== undefined && lastEventId !== '') return wholeNumber(lastEventId, 'last-event-id')!
  return wholeNumber(query.get('last_event_id'), 'last_event_id') ?? 0
}

function readForm(query: URLSearchParams): Omit<FrameChoice, 'chunked'> {
  return {
    envelope: oneOf(query, 'envelope', 'stored') ?? 'bare',
    to: oneOf(query, 'to', 'agent') ?? 'everyone',
  }
}

function oneOf<Value extends string>(query: URLSearchParams, name: string, value: Value): Value | null {
  const given = query.get(name)
  if (given === null || given === value) return given as Value | null
  throw new Fault('request.malformed', `${name}: only "${value}" is known`, { field: name })
}
