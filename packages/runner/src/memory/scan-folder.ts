import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { MemoryFilter } from './memory-filter.ts'

export type SeenFile = { size: number; mode: string /** Changes whenever the file does. */; stamp: string }

// The folder may be the agent's home, with all that it builds there.
const mostEntries = 20_000

/** The files below a folder that travel; null if there are too many. Links are not followed. */
export function scanFolder(folder: string, filter: MemoryFilter): Map<WorkspacePath, SeenFile> | null {
  const found = new Map<WorkspacePath, SeenFile>()
  let entries = 0
  const look = (below: string): boolean => {
    for (const entry of entriesOf(join(folder, below))) {
      entries += 1
      if (entries > mostEntries) return false
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory() && filter.folder(path) && !look(path)) return false
      const named = entry.isFile() && filter.file(path) ? WorkspacePath.safeParse(path).data : undefined
      const seen = named && seenFile(join(folder, path))
      if (named && seen) found.set(named, seen)
    }
    return true
  }
  return look('') ? found : null
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It disappeared meanwhile, or cannot be read: the next scan tells.
    return []
  }
}

function seenFile(file: string): SeenFile | null {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  if (!stat?.isFile()) return null
  const { size, mode, mtimeNs, ctimeNs, ino } = stat
  const permissions = (Number(mode) & 0o777).toString(8).padStart(3, '0')
  return { size: Number(size), mode: permissions, stamp: [size, mode, mtimeNs, ctimeNs, ino].join(' ') }
}
