import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { DiskFolder } from './disk-folder.ts'
import type { Ledger } from './ledger.ts'

/**
 * Asks the disk what these paths are now, because a report about them may never come. The paths are busy from then on, and
 * stay busy. Returns those that are as they were expected.
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
      // An unchanged file must not restart what was given up until the file changes.
      if (isSame) ledger.disk.see(looked)
      else ledger.see(looked)
    }
  }
  return same
}
