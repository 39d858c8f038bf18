import { setTimeout as pause } from 'node:timers/promises'
import type { KeptFolders } from '@farhand/device/daemon/kept-folders'

const lookMs = 30
const patienceMs = 15_000

/** Has what keeps a folder in the background end, if something does; resolves when it has, or does not. */
export async function endKept(folder: string, folders: KeptFolders): Promise<void> {
  const pid = folders.now(folder)?.isKept ? folders.holder(folder) : null
  if (pid === null) return
  try {
    process.kill(pid)
  } catch {
    // It was quicker.
    return
  }
  for (const since = performance.now(); performance.now() - since < patienceMs; await pause(lookMs))
    if (folders.holder(folder) !== pid) return
}
