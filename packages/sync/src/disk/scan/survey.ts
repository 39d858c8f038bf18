import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { SkipReason } from '../../engine/disk-folder.ts'
import { gitFolder, sharedFolder } from '../git/git-position.ts'
import { TrackedFiles } from '../git/tracked-files.ts'
import { hubDataNames, isHubData } from '../rules/hub-data.ts'
import { IgnoreRules, ignoreFiles } from '../rules/ignore-rules.ts'
import { readExcludes, readRules } from '../rules/read-rules.ts'
import { repositoryAround } from '../rules/repository-around.ts'
import { isNeverSynced } from '../workspace/never-synced.ts'
import { inNfc, pathIn } from '../workspace/path-parts.ts'
import { whyUnsyncable } from './skipped-paths.ts'

export type Survey = {
  files: { path: string; size: number }[]
  /** What is there and would not be synced; of a folder only its own name. */
  left: { path: string; why: Exclude<SkipReason, 'ignored'>; size: number }[]
  /** How many names rules leave out, each folder counted once. */
  ignored: number
  /** Whether git has this path in its index. */
  isTracked: (path: string) => boolean
}

/** What a sync of this folder would send, by names and sizes alone: nothing is read but rules. */
export function survey(
  root: string,
  {
    maxFileBytes,
    leftOut = [],
    excludes,
  }: { maxFileBytes: number; leftOut?: readonly string[]; excludes?: string },
): Survey {
  const repository = repositoryAround(root)
  const tracked = new TrackedFiles(() => repository)
  const rules = new IgnoreRules(tracked, leftOut)
  const git = gitFolder(root)
  if (git) rules.exclude(readRules(join(sharedFolder(git), 'info/exclude')) ?? '')
  rules.around(repository?.rules ?? [])
  rules.exclude(readExcludes(excludes), 'user')
  const found: Survey = { files: [], left: [], ignored: 0, isTracked: (path) => tracked.has(path) }
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const place = folder === '' ? root : `${root}/${folder}`
    const names = namesIn(place)
    if (!names) found.left.push({ path: folder, why: 'unreadable', size: 0 })
    else if (names.includes(hubDataNames[0]) && isHubData(place))
      found.left.push({ path: folder, why: 'hub-data', size: 0 })
    else {
      for (const file of ignoreFiles)
        if (names.includes(file)) rules.set(folder, file, readRules(join(place, file)))
      for (const name of names) {
        if (isNeverSynced(name)) continue
        const path = pathIn(folder, inNfc(name))
        const stats = statsOf(`${place}/${name}`)
        if (!stats) continue
        const isFolder = stats.isDirectory()
        const why = isFolder ? null : whyUnsyncable(path, stats, false, maxFileBytes)
        if (rules.ignores(path, isFolder)) found.ignored += 1
        else if (why && why !== 'ignored') found.left.push({ path, why, size: stats.size })
        else if (isFolder) folders.push(path)
        else found.files.push({ path, size: stats.size })
      }
    }
  }
  return found
}

function namesIn(place: string): string[] | null {
  try {
    return readdirSync(place)
  } catch {
    return null
  }
}

function statsOf(place: string): Stats | null {
  try {
    return lstatSync(place)
  } catch {
    // Gone since its folder was read.
    return null
  }
}
