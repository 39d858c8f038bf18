import type { ChangedPath } from '../items/story.ts'

/** A changed file, with the hash of its contents, or of its last contents if it was deleted. */
export type ChangedRow = {
  path: string
  action: 'created' | 'modified' | 'deleted'
  hash: string | null
}

/** The changed files, with a deleted and a created file of the same contents joined into a rename. */
export function withRenames(rows: readonly ChangedRow[]): ChangedPath[] {
  // The first one last, to be taken from the end: among thousands of the same contents, from the beginning would be slow.
  const gone = new Map<string, string[]>()
  for (const { path, action, hash } of rows.toReversed())
    if (action === 'deleted' && hash !== null) {
      const same = gone.get(hash)
      if (same) same.push(path)
      else gone.set(hash, [path])
    }
  const renamed = new Map<string, string>()
  for (const { path, action, hash } of rows) {
    const from = action === 'created' && hash !== null ? gone.get(hash)?.pop() : undefined
    if (from !== undefined) renamed.set(path, from)
  }
  if (renamed.size === 0) return rows.map(({ path, action }) => ({ path, action }))
  const olds = new Set(renamed.values())
  return rows.flatMap(({ path, action }): ChangedPath[] => {
    const from = renamed.get(path)
    if (from !== undefined) return [{ path, action: 'renamed', from }]
    return action === 'deleted' && olds.has(path) ? [] : [{ path, action }]
  })
}
