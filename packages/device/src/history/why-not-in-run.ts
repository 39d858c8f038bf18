import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ignoredBy } from '@farhand/sync/disk/rules/ignored-by'
import { folderInWords } from '@farhand/sync/history/history'
import { pathInWords } from '../wording/path-in-words.ts'

/** Why a path of the linked folder is not in the run; null if the folder does not have it either. */
export function whyNotInRun(root: string, path: string): string | null {
  const place = join(root, path)
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (!stats) return null
  const shown = pathInWords(path)
  const rules = ignoredBy(root, path, stats.isDirectory())
  if (rules !== null) return `${shown} is ignored by ${pathInWords(rules)}.`
  if (stats.isDirectory())
    return folderInWords(
      shown,
      readdirSync(place).map((name) => pathInWords(`${path}/${name}`)),
    )
  return `${shown} has not been sent to the run.`
}
