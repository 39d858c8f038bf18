import { limits } from '@farhand/protocol/wire/limits'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { CallOptions } from '../requests/call.ts'
import { ask, type Hub } from '../requests/hub.ts'
import { Unreachable } from '../requests/refusal.ts'
import { resumeStream } from '../requests/retry.ts'
import { streamBody } from '../requests/stream-body.ts'

export type ReadLogOptions = CallOptions & { after?: number; silenceMs?: number }

/** The stored events of a run, up to the moment of the request, each once and in order, across broken connections. */
export async function* readLog(
  hub: Hub,
  at: RunAddress,
  options: ReadLogOptions = {},
): AsyncGenerator<SeenEvent, void, undefined> {
  const { signal, silenceMs = 30_000 } = options
  let cursor = options.after ?? 0
  const rest = async function* () {
    const request = { path: paths.log(at), query: { after: cursor } }
    for await (const line of lines(
      streamBody({ send: (signal) => ask(hub, request, signal), silenceMs, signal }),
    )) {
      const event = readEvent(line)
      if (event?.id !== cursor + 1)
        throw new Unreachable(`expected event ${cursor + 1}, got ${line.slice(0, 100)}`)
      yield event
      cursor = event.id
    }
  }
  yield* resumeStream(rest, options)
}

async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  for await (const chunk of bytes) {
    const [first, ...more] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first ?? '')
    length += first?.length ?? 0
    // Longer than any event a hub would accept: another server sends this, and it must not fill the memory.
    if (length > 2 * limits.eventBytes) throw new Unreachable('a line without an end')
    for (const next of more) {
      yield pieces.join('')
      pieces = [next]
      length = next.length
    }
  }
  const rest = pieces.join('')
  // A line without its end has not arrived.
  if (rest !== '') throw new Unreachable('the log ended within a line')
}

function readEvent(line: string): SeenEvent | null {
  try {
    return SeenEvent.parse(JSON.parse(line))
  } catch {
    // Not written by a hub; the caller throws Unreachable and the request is repeated.
    return null
  }
}
