import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { DiskFolder } from './disk-folder.ts'
import type { Ledger } from './ledger.ts'

/**
 * Asks the disk what these paths are now, so that nobody depends on a report that may never come. They are not
 * touched meanwhile, and not released. Gives those that are what they were thought to be.
 */
export async function lookAgain(
  { ledger, disk }: { ledger: Ledger; disk: DiskFolder },
  paths: readonly WorkspacePath[],
): Promise<WorkspacePath[]> {
  if (paths.length === 0) return []
  for (const path of paths) ledger.begin(path)
  const same: WorkspacePath[] = []
  for (const looked of await disk.look(paths)) {
    const path = looked.path as WorkspacePath
    if ('why' in looked) ledger.skip(path, looked.why)
    else {
      const isSame = sameEntry(ledger.disk.entry(path), looked.entry)
      if (isSame) same.push(path)
      // What is no news must not begin again what was given up until there is some.
      if (isSame) ledger.disk.see(looked)
      else ledger.see(looked)
    }
  }
  return same
}
