import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { RunFiles } from './run-files.ts'

/** A path that is now something else than it was. `before` is undefined where nobody ever said what was there. */
export type ChangedFile = {
  path: WorkspacePath
  before: FileEntry | null | undefined
  after: FileEntry | null
  how: 'added' | 'changed' | 'deleted'
  /** Who changed it last, and when. */
  by: SeenAuthor
  at: string
}

/** The files that differ from what they were right after an event, by path. What came and went again is not among them. */
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

/** Folder by folder, and what is in a folder after the files beside it would break it up: plain order of letters. */
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
