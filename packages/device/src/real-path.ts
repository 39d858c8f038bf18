import { realpathSync } from 'node:fs'
import path from 'node:path'

/** The path with all symlinks resolved; the absolute path as it is if it does not exist. */
export function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}
