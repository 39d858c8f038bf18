import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { trimEndChars } from '@farhand/kit/trim-end-chars'

/**
 * The path with all symbolic links on this disk resolved, also for a file that does not exist yet. Null if it is
 * ambiguous: the disk would resolve it differently than an agent that normalizes the path first.
 */
export function resolveSymlinks(path: string, folder: string): string | null {
  const whole = isAbsolute(path) ? path : `${folder}/${path}`
  // Without trailing slashes, with which a dangling link would not be found.
  const end = follow(trimEndChars(whole, '/') || whole)
  // The disk decides what `..` after a link means, and many programs do not ask it.
  return end === follow(resolve(whole)) ? end : null
}

function follow(at: string): string | null {
  try {
    return realpathSync.native(at)
  } catch {
    // A dangling link cannot be resolved, and could still be written through.
    if (isThere(at) || dirname(at) === at) return null
    const above = follow(dirname(at))
    return above === null ? null : join(above, basename(at))
  }
}

function isThere(at: string): boolean {
  try {
    return lstatSync(at) !== undefined
  } catch {
    return false
  }
}
