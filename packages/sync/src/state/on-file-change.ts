import { statSync } from 'node:fs'

/**
 * Looks again whenever another process has written a file, within `everyMs`, until the answer is called; it keeps no process
 * alive. Not with `watchFile`: that takes what it finds first, a moment later, for what was there before, and never tells of it.
 */
export function onFileChange(file: string, everyMs: number, look: () => void): () => void {
  let before: string | null = null
  const timer = setInterval(() => {
    // Before the look: what is written during it is seen the next time.
    const now = versionOf(file)
    if (now === before) return
    before = now
    look()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function versionOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
}
