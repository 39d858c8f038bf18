import { basename, dirname, join } from 'node:path'
import { gitFolder, sharedFolder } from '../git/git-position.ts'
import { IgnoreRules } from './ignore-rules.ts'
import { readRules } from './read-rules.ts'

/** Rules of a folder around the synced one: `inside` leads from that folder to the synced one, with a slash at its end. */
export type RulesOfFolderAround = { inside: string; file: string; text: string }

export type RepositoryAround = {
  gitFolder: string
  /** Leads from the top of the repository to the synced folder, with a slash at its end; empty if that is the top. */
  inside: string
  /** Those that count more come first: of the nearest folder, ..., of the top, and `.git/info/exclude`. */
  rules: readonly RulesOfFolderAround[]
}

const nothingTracked = { has: () => false, hasBelow: () => false }

/**
 * The repository that a synced folder is the top of, or lies in, and what it ignores there by rules outside of the folder. One
 * that ignores the folder itself does not count: its user keeps other things there. Null without a repository.
 */
export function repositoryAround(root: string): RepositoryAround | null {
  const names: string[] = []
  for (let at = root; ; at = dirname(at)) {
    const git = gitFolder(at)
    if (git) return foundAt(at, git, names)
    if (dirname(at) === at) return null
    names.unshift(basename(at))
  }
}

function foundAt(top: string, git: string, names: readonly string[]): RepositoryAround | null {
  if (names.length === 0) return { gitFolder: git, inside: '', rules: [] }
  const all = new IgnoreRules(nothingTracked)
  const rules: RulesOfFolderAround[] = []
  const inside = (depth: number) => names.slice(depth).map((name) => `${name}/`)
  const exclude = join(sharedFolder(git), 'info/exclude')
  const excluded = readRules(exclude)
  if (excluded !== null) rules.push({ inside: inside(0).join(''), file: exclude, text: excluded })
  all.exclude(excluded ?? '')
  for (let depth = 0; depth < names.length; depth++) {
    const folder = names.slice(0, depth).join('/')
    const file = join(top, folder, '.gitignore')
    const text = readRules(file)
    if (text === null) continue
    all.set(folder, '.gitignore', text)
    rules.unshift({ inside: inside(depth).join(''), file, text })
  }
  return all.matches(names.join('/'), true) ? null : { gitFolder: git, inside: inside(0).join(''), rules }
}
