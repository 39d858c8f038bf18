import path from 'node:path'
import { Trouble } from './trouble.ts'

/** Trouble if the error is a full disk, else null. An error without a path is about the given folder. */
export function diskFull(error: unknown, folder: string): Trouble | null {
  const { code, path: at, syscall } = (error ?? {}) as NodeJS.ErrnoException
  // Linux reports the same code when its limit of watched folders is reached.
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
