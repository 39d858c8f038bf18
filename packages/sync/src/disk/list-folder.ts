import { readdirSync } from 'node:fs'
import { isMissing } from './reading.ts'
import type { RootFolder } from './root-folder.ts'
import type { Watch } from './watch.ts'

/** The names in a folder, which is watched from before they were read; or why there are none. */
export function listFolder(
  root: RootFolder,
  watch: Watch,
  folder: string,
): readonly string[] | 'missing' | 'unreadable' {
  const ino = root.ino(folder)
  if (ino === -1) return 'missing'
  // Watched before it is read: what happens in between is seen twice, not never.
  if (watch.ino(folder) !== ino || !watch.isSeen(folder)) watch.add(folder, ino)
  try {
    return readdirSync(root.place(folder))
  } catch (error) {
    return isMissing(error) ? 'missing' : 'unreadable'
  }
}
