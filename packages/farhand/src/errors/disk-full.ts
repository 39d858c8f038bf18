import path from 'node:path'
import { Trouble } from './trouble.ts'

/** What to do about a full disk; null if the error is about something else. What names no path is about this folder. */
export function diskFull(error: unknown, folder: string): Trouble | null {
  const { code, path: at, syscall } = (error ?? {}) as NodeJS.ErrnoException
  // A system that watches no more files says the same, and has room.
  if ((code !== 'ENOSPC' && code !== 'EDQUOT') || syscall === 'watch') return null
  const about = at === undefined || isIn(folder, at) ? folder : path.dirname(at)
  return new Trouble(
    'failed',
    `The disk of ${about} is full.`,
    'Free some space there, then try again. --state <folder> has this machine remember its runs elsewhere.',
    error,
  )
}

const isIn = (folder: string, file: string) => !path.relative(folder, file).startsWith('..')
