import { join, relative } from 'node:path'
import { IgnoreRules, ignoreFiles } from './ignore-rules.ts'
import { readRules } from './read-rules.ts'
import { repositoryAround } from './repository-around.ts'

const exclude = '.git/info/exclude'
const nothingTracked = { has: () => false, hasBelow: () => false }

/** The file whose rules leave this path out, as they are on the disk now; null if none does. Whether git tracks it does not matter. */
export function ignoredBy(root: string, path: string, isFolder: boolean): string | null {
  const all = new IgnoreRules(nothingTracked)
  const found: { file: string; alone: IgnoreRules }[] = []
  const take = (file: string, set: (rules: IgnoreRules, text: string) => void) => {
    const text = readRules(join(root, file))
    if (text !== null) takeText(file, text, set)
  }
  const takeText = (file: string, text: string, set: (rules: IgnoreRules, text: string) => void) => {
    const alone = new IgnoreRules(nothingTracked)
    for (const rules of [all, alone]) set(rules, text)
    found.push({ file, alone })
  }
  const around = repositoryAround(root)?.rules ?? []
  for (const { file, inside, text } of around.toReversed())
    takeText(relative(root, file), text, (rules) => {
      rules.around(rules === all ? around : [{ inside, text }])
    })
  take(exclude, (rules, text) => void rules.exclude(text))
  for (const name of ignoreFiles)
    for (const folder of foldersAbove(path))
      take(folder === '' ? name : `${folder}/${name}`, (rules, text) => void rules.set(folder, name, text))
  const leavesOut = (rules: IgnoreRules) =>
    foldersAbove(path).some((folder) => folder !== '' && rules.matches(folder, true)) ||
    rules.matches(path, isFolder)
  if (!leavesOut(all)) return null
  return found.findLast(({ alone }) => leavesOut(alone))?.file ?? null
}

/** The folders that a path lies in, from the top down; the first is the root, whose name is empty. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return ['', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))]
}
