import { isEvent } from '@farhand/protocol/events/event-names'
import { fileIntents } from '@farhand/protocol/files/file-intents'
import { sameAuthor, sameEntry } from '@farhand/protocol/files/path-history'
import type { KeptVersion } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A version in the log that was replaced, or overruled, by one whose author had not seen it. */
export type Conflict = {
  path: WorkspacePath
  entry: FileEntry
  /** The event that wrote it, by which it can be restored. */
  eventId: number
  lost: SeenAuthor
  won: SeenAuthor | null
  /** Whether it was replaced by a deletion. */
  isGone: boolean
}

/** The conflicts among the versions that an event replaced; the event is already folded in. `now` has the present state. */
export function conflictsIn(
  event: SeenEvent,
  kept: readonly KeptVersion[],
  now: { author: (path: WorkspacePath) => SeenAuthor | null; log: (path: WorkspacePath) => FileEntry | null },
): Conflict[] {
  if (isEvent(event.notification, 'file_kept')) return []
  const between = kept.filter(({ eventId, by }) => eventId === event.id || !sameAuthor(by, event.by))
  if (between.length === 0) return []
  const knew = new Map(fileIntents(event.notification).map(({ path, was }) => [path, was]))
  return between.flatMap(({ path, entry, eventId, by: lost, why }) => {
    const hasCome = eventId !== event.id
    const won = hasCome ? event.by : now.author(path)
    if (!hasCome && won && sameAuthor(won, lost)) return []
    // A version that only was in the way of another file is no conflict if the event does not name its path.
    const was = knew.has(path) ? knew.get(path) : null
    if (hasCome && (was === undefined || sameEntry(was, entry))) return []
    const isGone = hasCome ? why === 'deleted' : now.log(path) === null
    return [{ path, entry, eventId, lost, won, isGone }]
  })
}
