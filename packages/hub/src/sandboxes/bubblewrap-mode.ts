import { existsSync } from 'node:fs'
import { arch, release, totalmem } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { FilterMachine } from './seccomp-filter.ts'

/** How bubblewrap is used on this machine. */
export type BubblewrapMode = {
  /** `own`: a separate user for each sandbox, which needs root. `mapped`: the hub's user under another number. */
  user: 'own' | 'mapped'
  /** `image`: a file with a file system in it, which needs root and loop devices. `memory`: a tmpfs. */
  disk: 'image' | 'memory'
}

/** The search path for bubblewrap and its tools, and for programs inside. */
export const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The first of 16 million user ids that no system assigns. */
export const firstOwnUid = 0x70000000

/**
 * The modes that may work for this user, the strongest first. The machine's root is never mapped, as the agent would be root for every
 * file that it sees. In a container without other user ids, root is not the machine's and must be mapped.
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

/** What this machine lacks for bubblewrap, in words for its operator; null if nothing is known to be missing. */
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

/** Whether the kernel (Linux 5.14 and later) counts the process limit per user namespace, not for all processes of a user. */
export function countsProcessesByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

/** Limits a disk in memory to half of the machine's memory. */
export function memoryDiskMb(askedMb: number): number {
  return Math.min(askedMb, Math.floor(totalmem() / 2 / 1024 / 1024))
}
