import { setTimeout as pause } from 'node:timers/promises'
import type { BackgroundLinks } from './background-links.ts'

const lookMs = 30
/** A link ends in well under a second; after this it is stuck. */
const patienceMs = 6_000
const killedMs = 10_000

/**
 * Stops the background link of a folder, if there is one, and waits for its end. A process that does not react is
 * killed, which loses nothing, because its state is on disk.
 */
export async function stopBackgroundLink(folder: string, folders: BackgroundLinks): Promise<void> {
  const pid = folders.status(folder)?.isKept ? folders.holder(folder) : null
  if (pid === null) return
  const steps = [
    { signal: 'SIGTERM', waitMs: patienceMs },
    { signal: 'SIGKILL', waitMs: killedMs },
  ] as const
  for (const { signal, waitMs } of steps) {
    // The lock records when its process began, so a reused process id is not mistaken for it.
    if (folders.holder(folder) !== pid) return
    try {
      process.kill(pid, signal)
    } catch {
      // It ended in between.
      return
    }
    for (const since = performance.now(); performance.now() - since < waitMs; await pause(lookMs))
      if (folders.holder(folder) !== pid) return
  }
}
