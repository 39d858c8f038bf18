import type { Conversation } from './conversation.ts'
import type { ToolCall } from './tool-calls.ts'

/** One HTTP API of models. */
export type Dialect = {
  name: string
  /** Throws if the body is not in this dialect. */
  read(body: unknown, path: string): Conversation
  /** A whole answer as the body of a response. */
  whole(text: string, call: ToolCall | null): unknown
  /** An answer as a stream of events, piece by piece. */
  stream(): AnswerStream
  refusal(status: number, message: string): unknown
}

/** Gives the frames of an answer as it grows: `begin`, then texts, at most one call, and `end`. */
export type AnswerStream = {
  begin(): string
  text(piece: string): string
  call(call: ToolCall): string
  end(): string
}

/** A frame of a stream; with a name if the dialect calls its events by one. */
export const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

export const argumentsOf = ({ input }: ToolCall): string =>
  typeof input === 'string' ? input : JSON.stringify(input)

/** Every dialect counts tokens; a script does not care how many. */
export const tokens = { in: 100, out: 10 }

let ids = 0
/** Agents tell calls and messages apart by their ids, across turns too: two messages of one id become one. */
export const newId = (kind: string): string => `${kind}_scripted_${++ids}`
