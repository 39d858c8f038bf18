import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readSmallFile } from '@farhand/sync/state/read-small-file'

/**
 * Removes the folder `.farhand` that the sync has made in a linked folder, if nothing is left in it: a version that still has to be
 * rescued stays, and so does the data of a hub in the same place.
 */
export function removeSyncFiles(folder: string): void {
  const ours = path.join(folder, '.farhand')
  try {
    // A symlink may lead to another folder.
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
    // Missing, not empty, or not removable: it does no harm.
  }
}
