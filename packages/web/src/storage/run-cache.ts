import type { Run } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** A cache of runs, so that a page need not wait for the hub. It may forget anything at any time, and it never fails. */
export interface RunCache {
  /** The cached log, from its first event on. */
  read(run: RunId): Promise<readonly SeenEvent[]>
  /** Adds the events that follow; known events and events after a gap are ignored. */
  add(run: RunId, events: readonly SeenEvent[]): Promise<void>
  /** The run itself, as the hub last described it. */
  loadRun(run: RunId): Promise<Run | null>
  saveRun(run: Run): Promise<void>
  forget(run: RunId): Promise<void>
}

/** The events that come right after `lastId`, up to the first gap. */
export function eventsAfter(lastId: number, events: readonly SeenEvent[]): readonly SeenEvent[] {
  const from = events.findIndex(({ id }) => id === lastId + 1)
  if (from === -1) return []
  const gap = events.findIndex(({ id }, nth) => nth > from && id !== lastId + 1 + nth - from)
  return events.slice(from, gap === -1 ? undefined : gap)
}
