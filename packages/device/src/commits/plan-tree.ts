import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A file of a commit: its mode, the name of its object, and the hash by which a log would call its bytes. */
export type CommittedFile = { mode: string; sha: string; hash: string | null }

export type TreePlan = {
  /** Links last, and the deepest of them first: where two names are one to a disk, none is made through another. */
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
