import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { ChangedFile } from './changed-since.ts'

/** A change for the list: a renamed file is one change, and `from` is its old path and entry. */
export type ListedChange = Omit<ChangedFile, 'how'> & {
  how: ChangedFile['how'] | 'renamed'
  from: { path: WorkspacePath; entry: FileEntry } | null
}

/** The changes in order, with a deleted and an added file of the same contents joined into a rename. */
export function withRenames(changed: readonly ChangedFile[]): ListedChange[] {
  const gone = new Map<string, ChangedFile[]>()
  for (const file of changed)
    if (file.how === 'deleted' && file.before)
      gone.set(kindOf(file.before), [...(gone.get(kindOf(file.before)) ?? []), file])
  const from = new Map<ChangedFile, ChangedFile>()
  for (const file of changed) {
    const olds = file.how === 'added' && file.after ? gone.get(kindOf(file.after)) : undefined
    // Among several files with the same contents, prefer the one with the same name.
    const old = olds?.find(({ path }) => nameOf(path) === nameOf(file.path)) ?? olds?.[0]
    if (!old) continue
    olds!.splice(olds!.indexOf(old), 1)
    from.set(file, old)
  }
  const moved = new Set(from.values())
  return changed
    .filter((file) => !moved.has(file))
    .map((file) => {
      const old = from.get(file)
      if (!old?.before) return { ...file, from: null }
      return { ...file, how: 'renamed', from: { path: old.path, entry: old.before } }
    })
}

/** A symbolic link and a file with the link's target as its contents are different things. */
const kindOf = ({ hash, mode }: FileEntry) => `${mode === '120000' ? 'link' : 'file'} ${hash}`
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
