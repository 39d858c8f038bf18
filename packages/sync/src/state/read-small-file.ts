import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/**
 * The text of a file that others may have put there: null if it is no file, a link, or larger than a file of its kind can
 * be. Never blocks on a pipe, and never reads an endless file.
 */
export const readSmallFile = (file: string, mostBytes: number): string | null =>
  reading(file, (handle, { size }) => (size > mostBytes ? null : textOf(handle, 0, size)))

/** The same for a large one, of which only so much of its beginning and of its end is read. */
export const readEnds = (file: string, bytesEach: number): string | null =>
  reading(file, (handle, { size }) => {
    const second = Math.max(bytesEach, size - bytesEach)
    return `${textOf(handle, 0, Math.min(size, bytesEach))}\n${textOf(handle, second, size)}`
  })

function reading(file: string, read: (handle: number, stats: Stats) => string | null): string | null {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // Gone, a link, or not for us to read.
    return null
  }
  try {
    const stats = fstatSync(handle)
    return stats.isFile() ? read(handle, stats) : null
  } catch {
    return null
  } finally {
    closeSync(handle)
  }
}

function textOf(handle: number, begin: number, end: number): string {
  const bytes = Buffer.alloc(Math.max(0, end - begin))
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(handle, bytes, length, bytes.length - length, begin + length)
  return bytes.toString('utf8', 0, length)
}
