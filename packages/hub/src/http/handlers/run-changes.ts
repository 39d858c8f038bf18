import type { ServerResponse } from 'node:http'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import { type Exchange, header, userOf } from '../exchange/exchange.ts'
import { tokenOf } from '../exchange/token-cookie.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { SseStream } from '../streams/sse-stream.ts'

/** `GET /api/runs/changes`: streams each run of a user, as it is listed, whenever it changes (W48). */
export function getRunChanges(parts: HubParts, { req, res, who }: Exchange): void {
  const { user } = userOf(who)
  if (!/\btext\/event-stream\b/.test(header(req, 'accept') ?? '')) {
    throw new Fault('request.not-acceptable', 'accept: this is a stream; ask for text/event-stream', {
      field: 'accept',
    })
  }
  const stream = new RunsStream(res)
  parts.streams.add(stream, tokenOf(req)!, { user, project: null })
  const leave = parts.runChanges.watch(user, (run) => stream.tell(run))
  res.once('close', leave)
  // After subscribing: a client that lists the runs when it gets this misses no later change.
  stream.live(0)
}

const mostBytesWaiting = 1024 * 1024

class RunsStream extends SseStream {
  readonly #connection: { writableLength: number } | null

  constructor(res: ServerResponse) {
    super(res, { envelope: 'bare', to: 'everyone', files: 'together' })
    this.#connection = res.socket
  }

  /** Disconnects a reader that is too slow: it reconnects and lists the runs again. */
  tell(run: ListedRun): void {
    if ((this.#connection?.writableLength ?? 0) > mostBytesWaiting) this.leave()
    else this.say(`event: run\ndata: ${JSON.stringify(run)}\n\n`)
  }
}
