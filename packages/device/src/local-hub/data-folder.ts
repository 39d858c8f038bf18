import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Trouble } from '../trouble/trouble.ts'

type Purpose = { called: string; nextStep: string }

const ofHub: Purpose = {
  called: 'data folder',
  nextStep: 'Give another one with --data, or make this one writable.',
}

/** Where a user's machine remembers its runs. */
export const ofState: Purpose = {
  called: 'state folder',
  nextStep: 'Make it writable, or give another one with --state (FARHAND_STATE).',
}

/** Makes the data folder if need be, and makes sure that it can be written; throws trouble that says why not. */
export function openDataFolder(folder: string, purpose = ofHub): void {
  const absolute = path.resolve(folder)
  try {
    makeFolder(absolute)
    const probe = path.join(absolute, `.writable.${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    // Existing data can be read; the hub refuses what it cannot store.
    if (isFull(error as NodeJS.ErrnoException) && existsSync(path.join(absolute, 'store.sqlite'))) return
    throw dataTrouble(absolute, error, purpose) ?? error
  }
}

const isFull = ({ code }: NodeJS.ErrnoException) => code === 'ENOSPC' || code === 'EDQUOT'

// Level by level: Node's own recursive mkdir never returns where a folder is there but none can be made in it.
function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another start may have made it at the same moment.
    if (!isFolder(folder)) throw error
  }
}

const isFolder = (folder: string) => existsSync(folder) && statSync(folder).isDirectory()

const lookMs = 5_000

/** Resolves when the folder is removed, moved, or replaced by another one. */
export function folderGone(folder: string, signal: AbortSignal): Promise<void> {
  const { ino } = statSync(folder)
  return new Promise((resolve) => {
    const look = () => {
      if (statSync(folder, { throwIfNoEntry: false })?.ino === ino) return
      clearInterval(timer)
      resolve()
    }
    const timer = setInterval(look, lookMs).unref()
    signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  })
}

/** The error for the user if a data folder cannot be used; null if the error has another cause. */
export function dataTrouble(folder: string, error: unknown, { called, nextStep } = ofHub): Trouble | null {
  const why = reason(error as NodeJS.ErrnoException)
  if (why === null) return null
  return new Trouble('failed', `The ${called} ${folder} cannot be used: ${why}.`, nextStep, error)
}

function reason({ code = '', path: at = '', syscall, message }: NodeJS.ErrnoException): string | null {
  if (syscall === 'listen') return null
  const parent = path.dirname(at)
  if (code === 'EEXIST' || code === 'ENOTDIR') return `${at} is not a folder`
  if (code === 'EACCES' || code === 'EPERM') return `this user may not write in ${parent}`
  if (code === 'ENOENT' && syscall === 'mkdir') return `no folder can be made in ${parent}`
  if (code === 'EROFS') return `${parent} is on a disk that is mounted read-only`
  if (code === 'ENOSPC' || code === 'storage.full' || code === 'SQLITE_FULL')
    return at === '' ? 'its disk is full' : `the disk of ${parent} is full`
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code) || /file is not a database|disk image is malformed/.test(message))
    return 'its store.sqlite is damaged; put it back from a backup'
  // 14 is SQLite's number for a file that it cannot open.
  if (/^SQLITE_(READONLY|CANTOPEN)/.test(code) || /readonly database|ConnectionFailed.*: 14/.test(message))
    return 'this user may not write in all of its files'
  return null
}
