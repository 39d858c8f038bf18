import path from 'node:path'

/** Which of these files of a run git would run on this machine, where its hooks are kept in the work tree itself. */
export function changedHooks(hooksPath: string, top: string, changed: readonly string[]): string[] {
  if (hooksPath === '') return []
  const way = path.relative(top, path.resolve(top, hooksPath)).split(path.sep)
  if (way[0] === '..' || path.isAbsolute(way[0]!)) return []
  // Tools have git look into a folder of theirs whose scripts only call what lies beside it.
  if (way.at(-1)?.startsWith('_')) way.pop()
  const folder = way.filter((part) => part !== '').map((part) => `${part}/`)
  return changed.filter((one) => one.startsWith(folder.join('')))
}
