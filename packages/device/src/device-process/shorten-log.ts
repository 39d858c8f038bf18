import { fstatSync, ftruncateSync } from 'node:fs'

/** The log of the device process begins anew beyond this size. */
export const mostLogBytes = 100_000

/** Empties the file that a descriptor appends to, if it has become too large; a terminal or a pipe stays as it is. */
export function shortenLog(descriptor: number, mostBytes = mostLogBytes): void {
  try {
    const log = fstatSync(descriptor)
    if (log.isFile() && log.size > mostBytes) ftruncateSync(descriptor)
  } catch {
    // The descriptor is closed, or its disk cannot be written.
  }
}
