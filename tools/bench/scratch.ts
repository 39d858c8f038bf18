import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A folder for this run's data below `home`. Folders of runs that were killed are removed. */
export function makeScratch(home: string): { folder: string; remove(): void } {
  mkdirSync(home, { recursive: true })
  for (const name of readdirSync(home)) {
    if (!isAlive(Number(name))) rmSync(join(home, name), { recursive: true, force: true })
  }
  const folder = join(home, String(process.pid))
  mkdirSync(folder)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
