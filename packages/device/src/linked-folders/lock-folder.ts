import path from 'node:path'
import { lockHolder, lockState } from '@farhand/sync/state/lock-state'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../device-process/background-links.ts'
import { Trouble } from '../trouble/trouble.ts'

/** The process that keeps this folder in sync now; null if none does. */
export const folderHolder = (state: StateFolder, folder: string): number | null =>
  lockHolder(state.placeOf(folder))

/** A folder above this one that a process keeps in sync, of any user and with any state folder. */
export function holderAround(folder: string): { folder: string; pid: number } | null {
  for (let above = path.dirname(folder), below = folder; above !== below; above = path.dirname(above)) {
    const pid = lockHolder(path.join(above, '.farhand/incoming'))
    if (pid !== null) return { folder: above, pid }
    below = above
  }
  return null
}

/** Locks a folder for this process; Trouble names the process that has it. `pause` says how the user has one in the background stop. */
export function lockFolder(state: StateFolder, folder: string, pause: string): { release(): void } {
  const lock = lockState(state.placeOf(folder))
  if ('release' in lock) return lock
  const isKept = new BackgroundLinks(state).backgroundHolder(folder) !== null
  throw isKept ? folderTaken(folder, lock.holder, pause) : folderTaken(folder, lock.holder)
}

/** Locks a folder in order to forget it, and ends its background link; Trouble names another process that has it. */
export async function folderToForget(state: StateFolder, folder: string): Promise<{ release(): void }> {
  const folders = new BackgroundLinks(state)
  if (folders.backgroundHolder(folder) !== null) {
    // First: what is wanted is started again.
    folders.drop(folder)
    const { stopBackgroundLink } = await import('../device-process/stop-background-link.ts')
    await stopBackgroundLink(folder, folders)
  }
  const lock = lockState(state.placeOf(folder))
  if ('release' in lock) return lock
  throw new Trouble(
    'folderTaken',
    `${folder} is being kept in sync, by process ${lock.holder}.`,
    `Stop that one first, with Ctrl-C where it runs; if it does not react, \`kill -9 ${lock.holder}\` loses nothing. Then unlink the folder.`,
  )
}

/** Trouble: another process keeps this folder in sync. */
export const folderTaken = (folder: string, pid: number, next = 'Use that one, or stop it first.') =>
  new Trouble('folderTaken', `${folder} is being kept in sync already, by process ${pid}.`, next)

/** For `catch`, where a folder is opened: Trouble if another process keeps it in sync. */
export const asFolderTaken =
  (folder: string) =>
  (error: unknown): never => {
    const { name, pid } = error as { name?: string; pid?: number }
    throw name === 'FolderInUse' && pid !== undefined ? folderTaken(folder, pid) : error
  }

/** Trouble: a process keeps a folder inside this one in sync. */
export const folderInside = (folder: string, inside: string, pid: number) =>
  new Trouble(
    'folderTaken',
    `${folder} holds ${inside}, which is being kept in sync by process ${pid}.`,
    'Stop that one first, or link a folder beside it.',
  )
