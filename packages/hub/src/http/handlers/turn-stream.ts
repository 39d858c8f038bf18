import type { ServerResponse } from 'node:http'
import { isEvent } from '@farhand/protocol/events/event-names'
import { type TurnPlace, turnPlace } from '@farhand/protocol/runs/turn-place'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { LogChunk } from '../../log/event-log.ts'
import { decodeLine } from '../../log/stored-line.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { eventText, type FrameChoice } from '../streams/frames.ts'
import { SseStream } from '../streams/sse-stream.ts'

/** Answers a message with the stream of its turn, from its ack to its `turn_complete`; replayed if it is over (W11). */
export function streamTurn(
  parts: HubParts,
  res: ServerResponse,
  run: RunId,
  messageId: number,
  { token, of, form, response }: { token: string; of?: StreamReader; form: Form; response: unknown },
): void {
  const stream = new TurnStream(res, messageId, form, response)
  parts.streams.add(stream, token, of)
  stream.reader = parts.readers.follow(run, messageId - 1, stream)
}

type StreamReader = Parameters<HubParts['streams']['add']>[2]
type Form = Omit<FrameChoice, 'chunked'>

class TurnStream extends SseStream {
  readonly #messageId: number
  readonly #form: Form
  /** The JSON-RPC response, sent last, if the message was a request (W63). */
  readonly #response: unknown
  #place: TurnPlace = 'before'

  constructor(res: ServerResponse, messageId: number, form: Form, response: unknown) {
    super(res, form)
    this.#messageId = messageId
    this.#form = form
    this.#response = response
  }

  override write(chunk: LogChunk): boolean {
    let text = ''
    let last = chunk.firstId
    for (const line of chunk.bytes.toString().split('\n')) {
      if (line === '' || isOver(this.#place)) continue
      const event = decodeLine(line)
      if (!event) throw new Error('a line of the log cannot be read')
      last = event.id
      // A repeated message may have been the answer to a question, which has no turn (W62).
      if (event.id === this.#messageId && !isEvent(event.notification, 'user_message'))
        this.#place = 'withdrawn'
      this.#place = turnPlace(this.#place, event.notification, this.#messageId)
      if (this.#place === 'inside' || this.#place === 'over') text += eventText(line, this.#form)
    }
    if (isOver(this.#place) && this.#response) text += `data: ${JSON.stringify(this.#response)}\n\n`
    const more = text === '' || this.say(text)
    if (isOver(this.#place)) this.end(last)
    return more
  }

  override live(): void {}
}

// A message that was withdrawn before the agent began it has no turn.
const isOver = (place: TurnPlace) => place === 'over' || place === 'withdrawn'
