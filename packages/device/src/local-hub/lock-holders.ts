import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { identityOf, type ProcessId } from './process-identity.ts'

/** The processes that hold the lock of a data folder, from /proc/locks; none on other systems. */
export function lockHolders(data: string): ProcessId[] {
  try {
    const lock = statSync(path.join(data, 'lock.sqlite'))
    const pids = lockingPids(readFileSync('/proc/locks', 'utf8'), lock.ino)
    // /proc/locks has only inode numbers, which can be the same on two disks.
    return pids.filter((pid) => hasOpen(pid, lock)).flatMap((pid) => identityOf(pid) ?? [])
  } catch {
    return []
  }
}

/** The processes with a write lock on this inode, from the text of /proc/locks. */
export function lockingPids(table: string, inode: number): number[] {
  // "1: POSIX  ADVISORY  WRITE 1234 fe:01:5678 0 EOF"; a process that waits for a lock has an arrow before the kind.
  const row = /^\d+: (?:POSIX|OFDLCK)\s+\w+\s+WRITE (\d+) [\da-f]+:[\da-f]+:(\d+) /gm
  const holders = [...table.matchAll(row)].filter(([, , locked]) => Number(locked) === inode)
  return [...new Set(holders.map(([, pid]) => Number(pid)))]
}

function hasOpen(pid: number, { dev, ino }: { dev: number; ino: number }): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((fd) => {
    const open = statSync(path.join(folder, fd), { throwIfNoEntry: false })
    return open?.dev === dev && open.ino === ino
  })
}
