import type { Run } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/**
 * What this browser remembers of runs, so that a page need not wait for the hub. It may forget anything at any time and
 * never fails: whoever asks goes on with what there is.
 */
export interface RunCache {
  /** The log from its first event on, as far as it is here. */
  read(run: RunId): Promise<readonly SeenEvent[]>
  /** Adds what follows; events that are here are passed over, and those after a gap are not taken. */
  add(run: RunId, events: readonly SeenEvent[]): Promise<void>
  /** The run itself, as the hub last told of it. */
  about(run: RunId): Promise<Run | null>
  saveAbout(run: Run): Promise<void>
  forget(run: RunId): Promise<void>
}

/** Those of these events that come right after `lastId`, without a gap. */
export function following(lastId: number, events: readonly SeenEvent[]): readonly SeenEvent[] {
  const from = events.findIndex(({ id }) => id === lastId + 1)
  return from === -1 ? [] : events.slice(from)
}
