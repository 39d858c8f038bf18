import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { trimEndChars } from '@farhand/kit/trim-end-chars'
import { realPath } from '../real-path.ts'
import { type GitEnv, type GitPlace, gitEnv, runGit } from './run-git.ts'
import { type Suspects, settingsIn, suspectSettings } from './suspect-settings.ts'

export type FoundRepository = {
  place: GitPlace & { work: string }
  /** Its settings that would make git run files that a run may have written; `place` overrides them. */
  suspects: Suspects
  /** The output lines of `rev-parse`. */
  said: string[]
}

/** The nearest folder, upwards from this one, with a real `.git`; null if there is none. It runs no program. */
export function findGitTop(folder: string): string | null {
  for (let at = realPath(folder); ; at = path.dirname(at)) {
    if (isDotGit(path.join(at, '.git'))) return at
    if (path.dirname(at) === at) return null
  }
}

/**
 * Opens the repository whose `.git` is in this folder and asks `rev-parse` the given questions. Throws git's error if
 * the repository is invalid or not trusted; null if git finds another repository than that `.git`.
 */
export async function openRepository(
  top: string,
  asked: readonly string[],
  given: { env: GitEnv; signal: AbortSignal },
): Promise<FoundRepository | null> {
  const options = { cwd: top, env: gitEnv(given.env), signal: given.signal }
  // Git searches itself, once, and only here: only then does it check that the repository belongs to its user.
  const first = ['rev-parse', '--absolute-git-dir', '--git-common-dir']
  const found = (await runGit([...first, ...asked], options)).toString('utf8').replace(/\n$/, '').split('\n')
  const [gitDir = '', common = '', ...said] = found
  if (!isGitDirOf(top, gitDir)) return null
  const plain = { gitDir, work: top }
  const list = ['config', '--includes', '--list', '--show-origin', '--null']
  const printed = (await runGit(list, { ...options, at: plain })).toString('utf8')
  const gitDirs = [path.join(top, '.git'), gitDir, path.resolve(top, common)]
  const reach = {
    top: realPath(top),
    besides: otherWorkTrees(path.resolve(top, common)),
    gitDirs: [...gitDirs, ...gitDirs.map(realPath)],
    home: given.env.HOME,
    realOf: realPath,
  }
  const suspects = suspectSettings(settingsIn(printed, top), reach)
  return { place: { ...plain, instead: suspects.instead }, suspects, said }
}

/** All work trees of this repository, the main one included: a run may be writing to each. */
function otherWorkTrees(common: string): string[] {
  const found = path.basename(common) === '.git' ? [path.dirname(common)] : []
  for (const name of namesIn(path.join(common, 'worktrees'))) {
    const dotGit = readOr(path.join(common, 'worktrees', name, 'gitdir'))
    if (dotGit !== null) found.push(path.dirname(path.resolve(common, 'worktrees', name, dotGit)))
  }
  return [...new Set(found.flatMap((folder) => [folder, realPath(folder)]))]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Most repositories have no linked worktrees.
    return []
  }
}

function readOr(file: string): string | null {
  try {
    return trimEndChars(readFileSync(file, 'utf8'), '\r\n')
  } catch {
    return null
  }
}

/** Whether the git directory that git found is the `.git` of this folder, or the target of its `gitdir:` file. */
function isGitDirOf(top: string, gitDir: string): boolean {
  const dotGit = path.join(top, '.git')
  const stats = lstatSync(dotGit, { throwIfNoEntry: false })
  if (!stats?.isFile()) return realPath(dotGit) === realPath(gitDir)
  const leads = /^gitdir: (.*)$/s.exec(trimEndChars(readFileSync(dotGit, 'utf8'), '\r\n'))?.[1]
  return leads !== undefined && realPath(path.resolve(top, leads)) === realPath(gitDir)
}

function isDotGit(place: string): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  return (
    stats !== undefined &&
    (stats.isFile() || lstatSync(path.join(place, 'HEAD'), { throwIfNoEntry: false }) !== undefined)
  )
}
