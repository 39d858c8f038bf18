import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { isMissing } from '../content/reading.ts'
import type { KnownFolder } from '../index/known-files.ts'
import { inNfc } from '../workspace/path-parts.ts'
import type { RootFolder } from '../workspace/root-folder.ts'
import type { SystemWatches } from './system-watches.ts'

/** The names in a folder, which is watched from before they were read; or why there are none. */
export function listFolder(
  root: RootFolder,
  watch: SystemWatches,
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

/** The names of what was in a folder, as far as is known, and is not among the names that it lists now. */
export function namesMissing(
  listed: readonly string[],
  watched: Iterable<string>,
  known: KnownFolder | undefined,
): string[] {
  const expected = [...watched, ...(known?.files.keys() ?? []), ...(known?.folders.keys() ?? [])]
  if (expected.length === 0) return expected
  const found = new Set(listed.map(inNfc))
  return expected.filter((name) => !found.has(name))
}

/** What is at this place, undefined if nothing is; 'unreadable' if the system does not let us see. */
export function statsAt(file: string): Stats | undefined | 'unreadable' {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return 'unreadable'
  }
}
