import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { readProcessStat } from '@farhand/kit/process-stat'
import { readSmallFile } from './read-small-file.ts'

export type StateLock = { release(): void } | { holder: number }

type Holder = { pid: number; started: string; key: string }

const mostBytes = 4096

/**
 * Takes a state folder for this process, or returns which process has it. A process that ended without
 * releasing it, however it ended, does not hold it any more. With `isOwnDead` that is also said of this process, for an earlier
 * thread of it that was ended. A lock that is older than `deadAfterMs` is held by none, also by a process that goes on.
 */
export function lockState(
  stateFolder: string,
  isOwnDead = false,
  deadAfterMs = Number.POSITIVE_INFINITY,
): StateLock {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const file = join(stateFolder, 'lock')
  const key = randomBytes(8).toString('hex')
  const spare = `${file}.${key}`
  const me: Holder = { pid: process.pid, started: startOf(process.pid), key }
  writeFileSync(spare, JSON.stringify(me), { mode: 0o600 })
  try {
    for (;;) {
      if (takeName(spare, file)) return { release: () => releaseIfMine(file, key) }
      const holder = read(file)
      const isLeft = (isOwnDead && holder?.pid === me.pid) || isOlder(file, deadAfterMs)
      if (holder && !isLeft && isAlive(holder)) return { holder: holder.pid }
      const quicker = removeDead(file, holder, spare)
      if (quicker !== null) return { holder: quicker }
    }
  } finally {
    rmSync(spare, { force: true })
  }
}

/** The process that has taken this folder; null if none has. Changes nothing, and needs no right to. */
export function lockHolder(stateFolder: string): number | null {
  const holder = read(join(stateFolder, 'lock'))
  return holder && isAlive(holder) ? holder.pid : null
}

/** A second name for a finished file: so no process ever sees a lock that does not name its holder yet. */
function takeName(spare: string, file: string): boolean {
  try {
    linkSync(spare, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes this dead lock, or what is no lock, if it is still there. Several may find it, and the slower one must not remove what the
 * quicker one has put in its place: only who has the right to this very lock may, and only after another look at it. Gives
 * the process that has that right at the moment; null if the lock may be free now.
 */
function removeDead(file: string, dead: Holder | null, spare: string): number | null {
  const right = `${file}.dead-${dead?.key ?? 'none'}`
  if (!takeName(spare, right)) {
    const quicker = read(right)
    if (quicker && isAlive(quicker)) return quicker.pid
    // The process died while it held that right, which is a dead lock like any other.
    return numberOf(right) === null ? null : removeDead(right, quicker, spare)
  }
  try {
    const number = numberOf(file)
    const isIt = number !== null && read(file)?.key === dead?.key
    // What is no lock has no key: it has to be the same file before and after it was read.
    if (isIt && numberOf(file) === number) rmSync(file)
  } finally {
    rmSync(right)
  }
  return null
}

/** Also true of a time that is that far ahead: the clock was set back. */
function isOlder(file: string, ms: number): boolean {
  const since = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs
  return since !== undefined && Math.abs(Date.now() - since) > ms
}

/** The inode of what is there; null if nothing is. */
const numberOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.ino ?? null

function releaseIfMine(file: string, key: string): void {
  if (read(file)?.key === key) rmSync(file)
}

function read(file: string): Holder | null {
  try {
    const { pid, started, key } = JSON.parse(readSmallFile(file, mostBytes) ?? '') as Partial<Holder>
    // Zero and below name groups of processes, and some of those are always alive.
    const isOne = Number.isSafeInteger(pid) && pid! > 0
    // The key becomes a part of a file's name.
    return isOne && typeof started === 'string' && typeof key === 'string' && /^\w{1,64}$/.test(key)
      ? { pid: pid!, started, key }
      : null
  } catch {
    // Gone, or no lock of ours: neither locks anything.
    return null
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  // Numbers are given out again; the time of birth, where it can be known, tells two processes apart. A zombie has none.
  return startOf(pid) === started && (started !== '' || startOf(process.pid) === '')
}

/** When a process began, as its system counts it; the same text for all where that cannot be known. */
function startOf(pid: number): string {
  try {
    const stat = readProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return stat ? `${boot} ${stat.since}` : ''
  } catch {
    return ''
  }
}
