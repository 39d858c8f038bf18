import { isEvent } from '../events/event-names.ts'
import type { FileEntry } from '../methods/files.ts'
import type { SeenAuthor, SeenEvent } from '../wire/seen-event.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import { WorkspaceTree } from './workspace-tree.ts'

/**
 * `current`: the log has it now. `replaced`: another version took its place. `deleted`: the file was deleted after it.
 * `overruled`: it did not count when it arrived. `kept`: it never was in the log's tree and was stored before it was
 * overwritten.
 */
export type VersionState = 'current' | 'replaced' | 'deleted' | 'overruled' | 'kept'

/** One version of a path. Null stands for no file: a deletion is a version too. */
export type Version = {
  eventId: number
  /** When the hub stored it, as ISO 8601. */
  at: string
  by: SeenAuthor
  entry: FileEntry | null
  size: number | null
  state: VersionState
}

/** Every version that a log knows of every path: a fold over its events in order. */
export class FileVersions {
  readonly tree = new WorkspaceTree()
  readonly #versions = new Map<WorkspacePath, Version[]>()
  #cursor = 0

  /** The event up to which this is true. */
  get cursor(): number {
    return this.#cursor
  }

  /** Takes the next event and returns what it changed. */
  take(event: SeenEvent): ReturnType<WorkspaceTree['apply']> {
    const { id: eventId, timestamp: at, by, notification } = event
    this.#cursor = eventId
    const applied = this.tree.apply(event)
    const sizes = applied.changes.length + applied.kept.length > 0 ? sizesIn(notification.params) : null
    const add = (path: WorkspacePath, entry: FileEntry | null, state: VersionState) => {
      const size = entry ? (sizes?.get(path) ?? null) : null
      const all = this.#versions.get(path)
      if (all) all.push({ eventId, at, by, entry, size, state })
      else this.#versions.set(path, [{ eventId, at, by, entry, size, state }])
    }
    for (const { path, entry } of applied.changes) {
      const before = this.#versions.get(path)?.findLast(({ state }) => state === 'current')
      if (before) before.state = entry ? 'replaced' : 'deleted'
      add(path, entry, 'current')
    }
    const isPutAside = isEvent(notification, 'file_kept')
    for (const { path, entry, why, eventId: broughtBy } of applied.kept) {
      if (isPutAside) add(path, entry, 'kept')
      else if (why === 'overruled' && broughtBy === eventId) add(path, entry, 'overruled')
    }
    return applied
  }

  /** The versions of a path, newest first; none if no event named it. */
  of(path: string): Version[] {
    return (this.#versions.get(path as WorkspacePath) ?? []).toReversed()
  }

  /** Every path that has a version, in no promised order. */
  paths(): Iterable<WorkspacePath> {
    return this.#versions.keys()
  }
}

/** The sizes of the files in an event. They are only shown to users, and nothing depends on them. */
function sizesIn(params: Record<string, unknown> | undefined): Map<unknown, number> {
  const said = (Array.isArray(params?.files) ? params.files : [params]) as {
    path?: unknown
    size?: unknown
  }[]
  return new Map(said.flatMap((file) => (typeof file?.size === 'number' ? [[file.path, file.size]] : [])))
}
