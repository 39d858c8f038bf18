import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from './event-log.ts'

const chunkBytes = 512 * 1024

/** The stored lines of a run, up to an event or to the end; throws if the signal is aborted before. */
export async function* linesOf(
  log: EventLog,
  run: RunId,
  { upTo = Infinity, signal }: { upTo?: number; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<string> {
  for (let after = 0; after < upTo; ) {
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
