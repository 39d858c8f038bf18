import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from './event-log.ts'

const chunkBytes = 512 * 1024

type Wanted = { after?: number; upTo?: number; signal?: AbortSignal | undefined }

/** The stored lines of a run, after an event and up to one or to the end; throws if the signal is aborted before. */
export async function* linesOf(
  log: EventLog,
  run: RunId,
  { after: from = 0, upTo = Infinity, signal }: Wanted = {},
): AsyncGenerator<string> {
  for (let after = from; after < upTo; ) {
    signal?.throwIfAborted()
    const chunk = await log.read(run, after, chunkBytes)
    if (!chunk) return
    const lines = chunk.bytes.toString().split('\n').slice(0, -1)
    yield* lines.slice(0, upTo - after)
    after = chunk.lastId
    // The caller's work blocks the thread that also serves requests: let other work run in between.
    await new Promise(setImmediate)
  }
}
