import type { ServerResponse } from 'node:http'
import type { RunId } from '@farhand/protocol/ids'
import { type TurnPlace, turnPlace } from '@farhand/protocol/turn-place'
import type { Stretch } from '../log/event-log.ts'
import { decodeLine } from '../log/stored-line.ts'
import type { Rooms } from './rooms.ts'
import { SseStream } from './sse.ts'

/** Answers a message with its own turn: from its ack to its `turn_complete`, replayed if it is already over (W11). */
export function streamTurn(
  rooms: Rooms,
  res: ServerResponse,
  run: RunId,
  messageId: number,
  token: string,
): void {
  res.setHeader('Session-Id', run)
  const stream = new TurnStream(res, messageId)
  rooms.streams.add(stream, token)
  stream.reader = rooms.audiences.follow(run, messageId, stream)
}

class TurnStream extends SseStream {
  readonly #messageId: number
  #place: TurnPlace = 'before'

  constructor(res: ServerResponse, messageId: number) {
    super(res, { envelope: 'bare', to: 'everyone' })
    this.#messageId = messageId
  }

  override write(stretch: Stretch): boolean {
    let text = ''
    let last = stretch.firstId
    for (const line of stretch.bytes.toString().split('\n')) {
      if (line === '' || isOver(this.#place)) continue
      const event = decodeLine(line)
      if (!event) throw new Error('a line of the log cannot be read')
      last = event.id
      this.#place = turnPlace(this.#place, event.notification, this.#messageId)
      if (this.#place === 'inside' || this.#place === 'over')
        text += `id: ${event.id}\ndata: ${JSON.stringify(event.notification)}\n\n`
    }
    const more = text === '' || this.say(text)
    if (isOver(this.#place)) this.end(last)
    return more
  }

  override live(): void {}
}

// A message taken back before it was begun has no turn to wait for.
const isOver = (place: TurnPlace) => place === 'over' || place === 'withdrawn'
