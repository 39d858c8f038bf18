import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A file of a commit: its mode, its object name, and the SHA-256 of its content. */
export type CommittedFile = { mode: string; sha: string; hash: string | null }

export type TreePlan = {
  /** Symlinks last, the deepest first: on a disk that ignores case, no file may be written through a symlink. */
  put: { path: WorkspacePath; entry: FileEntry }[]
  remove: string[]
}

/**
 * Plans how to turn the files of a commit into those of the log. Paths that the log never named stay: they are
 * committed but ignored, too large to sync, or were deleted before the run began. Nested repositories stay, too.
 */
export function planTree(
  committed: ReadonlyMap<string, CommittedFile>,
  files: Iterable<{ path: WorkspacePath; entry: FileEntry }>,
  entryOf: (path: WorkspacePath) => FileEntry | null | undefined,
): TreePlan {
  const plan: TreePlan = { put: [], remove: [] }
  const within = [...committed].flatMap(([path, { mode }]) => (mode === '160000' ? [`${path}/`] : []))
  for (const { path, entry } of files) {
    if (within.some((repository) => path.startsWith(repository))) continue
    const there = committed.get(path)
    if (there?.mode === '160000') continue
    if (there?.mode !== entry.mode || there.hash !== entry.hash) plan.put.push({ path, entry })
  }
  plan.put = inOrder(plan.put)
  for (const [path, { mode }] of committed)
    if (mode !== '160000' && entryOf(path as WorkspacePath) === null) plan.remove.push(path)
  return plan
}

function inOrder(put: TreePlan['put']): TreePlan['put'] {
  const isLink = ({ entry }: TreePlan['put'][number]) => entry.mode === '120000'
  const depth = ({ path }: { path: string }) => path.split('/').length
  const links = put.filter(isLink).sort((one, other) => depth(other) - depth(one))
  return [...put.filter((one) => !isLink(one)), ...links]
}
