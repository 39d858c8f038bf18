import { setTimeout as pause } from 'node:timers/promises'
import type { BackgroundLinks } from './background-links.ts'

const lookMs = 30
/** A link ends in well under a second. One that has not by now will not by itself. */
const patienceMs = 6_000
const killedMs = 10_000

/**
 * Has what keeps a folder in the background end, if something does: one that does not react is killed, which loses nothing, as
 * all that it must remember is on disk. Resolves when it has ended.
 */
export async function stopBackgroundLink(folder: string, folders: BackgroundLinks): Promise<void> {
  const pid = folders.status(folder)?.isKept ? folders.holder(folder) : null
  if (pid === null) return
  const steps = [
    { signal: 'SIGTERM', waitMs: patienceMs },
    { signal: 'SIGKILL', waitMs: killedMs },
  ] as const
  for (const { signal, waitMs } of steps) {
    // The lock tells when a process began: another one with its number is not taken for it.
    if (folders.holder(folder) !== pid) return
    try {
      process.kill(pid, signal)
    } catch {
      // It was quicker.
      return
    }
    for (const since = performance.now(); performance.now() - since < waitMs; await pause(lookMs))
      if (folders.holder(folder) !== pid) return
  }
}
