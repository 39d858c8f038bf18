import { lstatSync, readFileSync } from 'node:fs'

const mostBytes = 1024 * 1024

/** The text of an ignore file; null if there is none to read. Like git, which does not follow a link from here either. */
export function readRules(file: string): string | null {
  try {
    const stats = lstatSync(file)
    return stats.isFile() && stats.size < mostBytes ? readFileSync(file, 'utf8') : null
  } catch {
    // It is gone again, or not for us to read: then it says nothing.
    return null
  }
}
