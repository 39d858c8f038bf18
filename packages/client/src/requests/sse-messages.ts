import { limits } from '@farhand/protocol/wire/limits'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Unreachable } from './refusal.ts'
import { type StreamOptions, streamBody } from './stream-body.ts'

/**
 * The server-sent events of one connection, in lists of those that arrived with one read; an empty list is a sign of life.
 * It ends with the connection, even if the hub has more events.
 */
export async function* sseMessages(options: StreamOptions): AsyncGenerator<EventSourceMessage[]> {
  let messages: EventSourceMessage[] = []
  let overflow: Error | undefined
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflow = error
    },
    // Longer than any event a hub would accept: another server sends this, and it must not fill the memory.
    maxBufferSize: 2 * limits.eventBytes,
  })
  const decoder = new TextDecoder()
  const onOpen = (response: Response) => {
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!type.startsWith('text/event-stream'))
      throw new Unreachable(`expected a stream of events, got ${type}`)
    options.onOpen?.(response)
  }
  for await (const bytes of streamBody({ ...options, onOpen })) {
    messages = []
    parser.feed(decoder.decode(bytes, { stream: true }))
    if (overflow) throw new Unreachable('an event without an end', overflow)
    yield messages
  }
}
