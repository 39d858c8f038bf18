import path from 'node:path'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { lockHolder, lockState } from '@farhand/sync/state/lock-state'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { Trouble } from '../errors/trouble.ts'
import { shellWord } from '../printing/shell-word.ts'

/** The process that keeps this folder in sync now; null if none does. */
export const folderHolder = (state: StateFolder, folder: string): number | null =>
  lockHolder(state.placeOf(folder))

/** A folder above this one that some process keeps in sync, whoever started it and wherever that remembers its links. */
export function holderAround(folder: string): { folder: string; pid: number } | null {
  for (let above = path.dirname(folder), below = folder; above !== below; above = path.dirname(above)) {
    const pid = lockHolder(path.join(above, '.farhand/incoming'))
    if (pid !== null) return { folder: above, pid }
    below = above
  }
  return null
}

/** Takes a folder for this process; trouble says who has it. */
export function lockFolder(
  state: StateFolder,
  folder: string,
  { called }: CommandContext,
): { release(): void } {
  const lock = lockState(state.placeOf(folder))
  if ('release' in lock) return lock
  const isKept = new BackgroundLinks(state).status(folder)?.isKept
  const pause = `\`${called.farhand} pause ${shellWord(folder)}\` has that stop.`
  throw isKept ? folderTaken(folder, lock.holder, pause) : folderTaken(folder, lock.holder)
}

/** Takes a folder in order to forget it, from what keeps it in the background too; trouble says who has to stop before. */
export async function folderToForget(state: StateFolder, folder: string): Promise<{ release(): void }> {
  const folders = new BackgroundLinks(state)
  if (folders.status(folder)?.isKept) {
    // First, or the daemon would start it again.
    folders.drop(folder)
    const { stopBackgroundLink } = await import('@farhand/device/daemon/stop-background-link')
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

/** That somebody else has the folder, in words. */
export const folderTaken = (folder: string, pid: number, next = 'Use that one, or stop it first.') =>
  new Trouble('folderTaken', `${folder} is being kept in sync already, by process ${pid}.`, next)

/** That somebody has a folder inside of it. */
export const folderInside = (folder: string, inside: string, pid: number) =>
  new Trouble(
    'folderTaken',
    `${folder} holds ${inside}, which is being kept in sync by process ${pid}.`,
    'Stop that one first, or link a folder beside it.',
  )
