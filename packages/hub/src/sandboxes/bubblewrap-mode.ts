import { existsSync } from 'node:fs'
import { arch, release, totalmem } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { FilterMachine } from './seccomp-filter.ts'

/** How bubblewrap is used on this machine. */
export type BubblewrapMode = {
  /** A user of its own for each sandbox, which takes root; or the hub's, mapped to another number. */
  user: 'own' | 'mapped'
  /** A file with a file system in it, which takes root and loop devices; or memory. */
  disk: 'image' | 'memory'
}

/** Where bubblewrap and the tools beside it are looked for, and programs inside. */
export const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The first of 16 million user ids that no system gives to anybody. */
export const firstOwnUid = 0x70000000

/**
 * All ways that may work for this user, the strongest first. Root is never mapped where it is the machine's: whoever runs
 * inside would be root to every file that it sees. In a container that has no other users it is not, and they cannot be had.
 */
export function possibleModes(uid: number, uidMap: string): BubblewrapMode[] {
  const hasOthers = uidMap.split('\n').some((line) => {
    const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return inside <= firstOwnUid && inside + count >= firstOwnUid + 2 ** 24
  })
  if (uid !== 0 || !hasOthers) return [{ user: 'mapped', disk: 'memory' }]
  return [
    { user: 'own', disk: 'image' },
    { user: 'own', disk: 'memory' },
  ]
}

const tools = ['bwrap', 'unshare', 'mount', 'sh', 'tail', 'setpriv']

/** What keeps this machine from even trying, in words for its operator; null if nothing does. */
export function whatIsMissing(): string | null {
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
