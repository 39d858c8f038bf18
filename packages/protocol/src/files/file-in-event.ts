import type { z } from 'zod'
import type { FileChange, FileEntry } from '../methods/files.ts'
import type { WorkspacePath } from '../wire/workspace-path.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** One file in the params of a file event, as it is sent. */
export type FileInEvent = z.input<typeof FileChange>

/** One file in the params of a `file_sync`; `was` is undefined for a file that only the base of the run has. */
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

/** Deletions of the files that are in the way of a file at this path: an event may only remove files that it names. */
export function filesInTheWay(tree: WorkspaceTree, path: WorkspacePath) {
  const inTheWay: (FileInEvent & { path: WorkspacePath })[] = []
  for (const { path: other, entry } of tree.files()) {
    if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`))
      inTheWay.push({ path: other, action: 'deleted', was: entry })
  }
  return inTheWay
}
