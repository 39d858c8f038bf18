import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { trimEndChars } from '@farhand/kit/trim-end-chars'

/**
 * Where a path leads on this disk now, all links followed, also those above a file that is yet to be made; null if
 * nobody can say: the disk would go another way than an agent that tidies the path up first.
 */
export function resolveSymlinks(path: string, folder: string): string | null {
  const whole = isAbsolute(path) ? path : `${folder}/${path}`
  // Without the slashes at its end, with which a link to nowhere would not be found.
  const end = follow(trimEndChars(whole, '/') || whole)
  // What `..` after a link means is for the disk to say, and many do not ask it.
  return end === follow(resolve(whole)) ? end : null
}

function follow(at: string): string | null {
  try {
    return realpathSync.native(at)
  } catch {
    // A link to nowhere has no end, and would be written through all the same.
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
