import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/**
 * The text of a file that others may have put there: null if it is none, a link, or larger than a file of its kind can
 * be. Never waits for what a pipe may bring, and never reads what has no end.
 */
export function readSmallFile(file: string, mostBytes: number): string | null {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // Gone, a link, or not for us to read.
    return null
  }
  try {
    const stats = fstatSync(handle)
    if (!stats.isFile() || stats.size > mostBytes) return null
    const bytes = Buffer.alloc(stats.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, length)
    return bytes.toString('utf8', 0, length)
  } catch {
    return null
  } finally {
    closeSync(handle)
  }
}
