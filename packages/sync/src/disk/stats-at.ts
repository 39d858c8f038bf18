import { lstatSync, type Stats } from 'node:fs'

/** What is at this place, undefined if nothing is; 'unreadable' if the system does not let us see. */
export function statsAt(file: string): Stats | undefined | 'unreadable' {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return 'unreadable'
  }
}
