import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'

/** A file of a commit: its mode, the name of its object, and the hash by which a log would call its bytes. */
export type CommittedFile = { mode: string; sha: string; hash: string | null }

export type TreePlan = {
  put: { path: WorkspacePath; entry: FileEntry }[]
  remove: string[]
}

/**
 * How the files of a commit become those of a log. What the log never named stays: it is committed and ignored, too large
 * to be synced, or was gone from the folder before the run began. A repository within this one stays, too.
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
  for (const [path, { mode }] of committed)
    if (mode !== '160000' && entryOf(path as WorkspacePath) === null) plan.remove.push(path)
  return plan
}
