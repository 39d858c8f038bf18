import { isEvent } from '../events/event-names.ts'
import { plainFiles } from '../events/plain-files.ts'
import { type FileChange, type FileEntry, FileSync } from '../methods/files.ts'
import type { Notification } from '../wire/event.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'

/** One file as its writer wants it: an entry, or null for no file. `was` is undefined if the writer did not say what it knew before. */
export type FileIntent = {
  path: WorkspacePath
  entry: FileEntry | null
  was: FileEntry | null | undefined
}

const intent = (change: FileChange): FileIntent => ({
  path: change.path,
  entry: change.action === 'deleted' ? null : { mode: change.mode ?? '100644', hash: change.hash },
  was: change.was,
})

/** The files that an event changes, in its order; none if it is another event or not valid (W27). */
export function fileIntents(notification: Notification): FileIntent[] {
  if (!isEvent(notification, 'file_change', 'file_sync')) return []
  const { params } = notification
  const plain = plainFiles(params)
  if (plain) return plain.map(intent)
  const said = FileSync.safeParse(params)
  if (!said.success) return []
  return 'files' in said.data ? (said.data.files as FileChange[]).map(intent) : [intent(said.data)]
}
