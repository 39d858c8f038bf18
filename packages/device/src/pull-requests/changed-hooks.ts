import path from 'node:path'

/** The changed files that git would run as hooks, if the hooks folder is inside the work tree. */
export function changedHooks(hooksPath: string, top: string, changed: readonly string[]): string[] {
  if (hooksPath === '') return []
  const way = path.relative(top, path.resolve(top, hooksPath)).split(path.sep)
  if (way[0] === '..' || path.isAbsolute(way[0]!)) return []
  // Tools such as husky set a `_` folder whose scripts call the ones beside it.
  if (way.at(-1)?.startsWith('_')) way.pop()
  const folder = way.filter((part) => part !== '').map((part) => `${part}/`)
  return changed.filter((one) => one.startsWith(folder.join('')))
}
