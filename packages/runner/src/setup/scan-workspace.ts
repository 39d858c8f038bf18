import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { TrackedFiles } from '@farhand/sync/disk/git/tracked-files'
import { IgnoreRules, ignoreFiles } from '@farhand/sync/disk/rules/ignore-rules'
import { readRules } from '@farhand/sync/disk/rules/read-rules'
import { isNeverSynced } from '@farhand/sync/disk/workspace/never-synced'

export type WorkspaceScan = {
  /** Files that are synced, each with a text that changes when the file does. */
  files: ReadonlyMap<string, string>
  /** Paths that ignore rules leave out; for a folder, only its own path. */
  ignored: ReadonlySet<string>
}

const foldersAtOnce = 50

/** Scans a workspace as sync sees it (S9). */
export async function scanWorkspace(root: string): Promise<WorkspaceScan> {
  const rules = new IgnoreRules(new TrackedFiles(() => ({ gitFolder: path.join(root, '.git'), inside: '' })))
  rules.exclude(readRules(path.join(root, '.git/info/exclude')) ?? '')
  const files = new Map<string, string>()
  const ignored = new Set<string>()
  const folders = ['']
  for (let seen = 1; folders.length > 0; seen++) {
    const folder = folders.pop()!
    for (const name of ignoreFiles) rules.set(folder, name, readRules(path.join(root, folder, name)))
    for (const entry of entriesIn(path.join(root, folder))) {
      if (isNeverSynced(entry.name)) continue
      const at = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (rules.ignores(at, entry.isDirectory())) ignored.add(at)
      else if (entry.isDirectory()) folders.push(at)
      else {
        const stat = lstatSync(path.join(root, at), { throwIfNoEntry: false })
        if (stat) files.set(at, `${stat.mode} ${stat.size} ${stat.mtimeMs}`)
      }
    }
    // Lets the runner handle other events meanwhile.
    if (seen % foldersAtOnce === 0) await new Promise(setImmediate)
  }
  return { files, ignored }
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It disappeared, or cannot be read.
    return []
  }
}
