import type { z } from 'zod'
import type { FileChange, FileEntry } from '../methods/files.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** What an event says of one file, as it is written. */
export type FileInEvent = z.input<typeof FileChange>

/** What an event `file_sync` says of a file; without `was` it speaks of what was there before the log. */
export function fileInEvent(file: {
  path: WorkspacePath
  entry: FileEntry | null
  was: FileEntry | null | undefined
  size: number | null
}): FileInEvent {
  const { path, entry, was, size } = file
  const knew = was === undefined ? {} : { was }
  if (!entry) return { path, action: 'deleted', ...knew }
  const what = { hash: entry.hash, mode: entry.mode, ...(size !== null && { size }) }
  return { path, action: was ? 'modified' : 'created', ...what, ...knew }
}

/** Deletions of what would keep a file from being here: no event takes away another's file without naming it. */
export function filesInTheWay(tree: WorkspaceTree, path: WorkspacePath) {
  const inTheWay: (FileInEvent & { path: WorkspacePath })[] = []
  for (const { path: other, entry } of tree.files()) {
    if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`))
      inTheWay.push({ path: other, action: 'deleted', was: entry })
  }
  return inTheWay
}
