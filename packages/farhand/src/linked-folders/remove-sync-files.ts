import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readSmallFile } from '@farhand/sync/state/read-small-file'

/**
 * Removes what syncing has made in a folder, as far as there is nothing in it: a version that waits there to be rescued
 * stays, and so does a hub that keeps its data in the same place.
 */
export function removeSyncFiles(folder: string): void {
  const ours = path.join(folder, '.farhand')
  try {
    // Through a link it would be somebody else's.
    if (!lstatSync(ours).isDirectory()) return
    const incoming = path.join(ours, 'incoming')
    if (lstatSync(incoming, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(incoming)
    const rest = readdirSync(ours)
    if (rest.some((name) => name !== '.gitignore')) return
    const gitignore = path.join(ours, '.gitignore')
    if (rest.length > 0 && readSmallFile(gitignore, 64)?.trim() !== '*') return
    rmSync(gitignore, { force: true })
    rmdirSync(ours)
  } catch {
    // Not there, not empty or not ours to remove: it does no harm where it is.
  }
}
