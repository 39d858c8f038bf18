import { lstatSync, writeFileSync } from 'node:fs'
import type { HeldFolders } from './held-folders.ts'
import { codeOf } from './system-code.ts'

/**
 * Where to work in a folder of our own in the workspace, which is made if it is missing. Throws if anything on the way
 * is something else than a folder: a link would lead us out.
 */
export function enterOwnFolder(held: HeldFolders, folder: string): string {
  try {
    const root = held.enter('')
    const isNew = !lstatSync(`${root}/.farhand`, { throwIfNoEntry: false })
    const top = held.enter('.farhand', { mode: 0o700 })
    // Keeps our folder out of `git status`.
    if (isNew) writeFileSync(`${top}/.gitignore`, '*\n')
    return held.enter(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'ENOTDIR' && codeOf(error) !== 'ELOOP') throw error
    throw Object.assign(new Error(`${folder} must be a folder, but is something else`), { code: 'ENOTDIR' })
  }
}
