import { existsSync } from 'node:fs'
import { arch, release, totalmem } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { FilterMachine } from './seccomp-filter.ts'

/** How bubblewrap is used on this machine. */
export type Means = {
  /** A user of its own for each sandbox, which takes root; or the hub's, mapped to another number. */
  user: 'own' | 'mapped'
  /** A file with a file system in it, which takes root and loop devices; or memory. */
  disk: 'image' | 'memory'
}

/** All ways that may work here, the strongest first. */
export function possibleMeans(uid: number): Means[] {
  const mapped: Means = { user: 'mapped', disk: 'memory' }
  if (uid !== 0) return [mapped]
  return [{ user: 'own', disk: 'image' }, { user: 'own', disk: 'memory' }, mapped]
}

const tools = ['bwrap', 'unshare', 'mount', 'sh', 'tail', 'setpriv']

/** What keeps this machine from even trying, in words for its operator; null if nothing does. */
export function whatIsMissing(searchPath: string): string | null {
  if (process.platform !== 'linux') return 'bubblewrap needs Linux.'
  if (!filterMachine()) return `There is no filter of system calls for this kind of machine (${arch()}).`
  const missing = tools.filter(
    (tool) => !searchPath.split(':').some((folder) => existsSync(path.join(folder, tool))),
  )
  if (missing.includes('bwrap'))
    return 'bubblewrap is not installed. Install it: `apt install bubblewrap`, `dnf install bubblewrap` or alike.'
  return missing.length === 0
    ? null
    : `Programs that bubblewrap sandboxes need are missing: ${missing.join(', ')}.`
}

export function filterMachine(): FilterMachine | null {
  const machine = arch()
  return machine === 'x64' || machine === 'arm64' ? machine : null
}

/** Before Linux 5.14 all processes of a user count for a limit on their number, wherever they run. */
export function countsProcessesByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

/** A disk in memory that is full must leave the machine something to live on. */
export function memoryDiskMb(askedMb: number): number {
  return Math.min(askedMb, Math.floor(totalmem() / 2 / 1024 / 1024))
}
