import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { RunFiles } from './run-files.ts'

/** A changed path. `before` is undefined where the log does not say what was there. */
export type ChangedFile = {
  path: WorkspacePath
  before: FileEntry | null | undefined
  after: FileEntry | null
  how: 'added' | 'changed' | 'deleted'
  /** The author and time of the last change. */
  by: SeenAuthor
  at: string
}

/** The files that differ from what they were right after an event, by path. A file that came and went since is left out. */
export function changedSince(files: RunFiles, eventId: number): ChangedFile[] {
  const changed: ChangedFile[] = []
  for (const path of files.touchedSince(eventId)) {
    const now = files.counted(path)[0]
    if (!now || now.eventId <= eventId) continue
    const { entry: after, by, at } = now
    const before = files.entryAt(path, eventId)
    if (before !== undefined && sameEntry(before, after)) continue
    const how = after === null ? 'deleted' : before === null ? 'added' : 'changed'
    changed.push({ path, before, after, how, by, at })
  }
  return changed.sort(byPath)
}

/** Plain order of letters keeps each folder together. */
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
