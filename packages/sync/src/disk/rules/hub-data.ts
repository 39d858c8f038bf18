import { lstatSync } from 'node:fs'
import path from 'node:path'

/** What every hub makes first in its data folder, and never removes. No project has both by accident. */
export const hubDataNames = ['lock.sqlite', 'store.sqlite'] as const

/** Whether a hub keeps its data in this folder, running or not. What cannot be looked into is taken for none. */
export function isHubData(folder: string): boolean {
  return hubDataNames.every((name) => {
    try {
      return lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.isFile() === true
    } catch {
      return false
    }
  })
}

/** The data folder of a hub that this folder is, or lies in; null if there is none. */
export function hubDataAround(folder: string): string | null {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isHubData(at)) return at
    if (at === path.dirname(at)) return null
  }
}
