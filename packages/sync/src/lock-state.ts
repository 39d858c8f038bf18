import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { readSmallFile } from './read-small-file.ts'

export type StateLock = { release(): void } | { holder: number }

type Holder = { pid: number; started: string; key: string }

const mostBytes = 4096

/**
 * Takes a state folder for this process, or says which process has it. One that ended without giving it back,
 * however it ended, holds it no longer.
 */
export function lockState(stateFolder: string): StateLock {
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
      if (holder && isAlive(holder)) return { holder: holder.pid }
      removeDead(file, spare)
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

/** A second name, not a new file: so nobody ever sees a lock that does not say whose it is yet. */
function takeName(spare: string, file: string): boolean {
  try {
    linkSync(spare, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Two may find the same dead lock: the slower one must not remove what the quicker one has put in its place. */
function removeDead(file: string, spare: string): void {
  const aside = `${spare}.dead`
  try {
    renameSync(file, aside)
  } catch (error) {
    // The other one was quicker with this, too.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const holder = read(aside)
  if (holder && isAlive(holder)) takeName(aside, file)
  rmSync(aside)
}

function releaseIfMine(file: string, key: string): void {
  if (read(file)?.key === key) rmSync(file)
}

function read(file: string): Holder | null {
  try {
    const { pid, started, key } = JSON.parse(readSmallFile(file, mostBytes) ?? '') as Partial<Holder>
    // Zero and below name groups of processes, and some of those are always alive.
    const isOne = Number.isSafeInteger(pid) && pid! > 0
    return isOne && typeof started === 'string' && typeof key === 'string'
      ? { pid: pid!, started, key }
      : null
  } catch {
    // Gone, or no lock of ours: either way it holds nobody off.
    return null
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  if (isDead(pid)) return false
  // Numbers are given out again; the time of birth, where it can be known, tells two processes apart.
  return startOf(pid) === started && (started !== '' || startOf(process.pid) === '')
}

/** Whether it has ended and nobody has buried it: where nobody does, as in many containers, that is for good. */
function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** When a process began, as its system counts it; the same text for all where that cannot be known. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    // The name of the program comes before, and may hold spaces and brackets.
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return ''
  }
}
