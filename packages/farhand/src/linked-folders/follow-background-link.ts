import { setTimeout as pause } from 'node:timers/promises'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { Trouble } from '../errors/trouble.ts'

const lookMs = 200

/** Resolves when a folder is no longer kept in sync: to null if its run is closed, else to why. */
export async function followBackgroundLink(
  folder: string,
  state: StateFolder,
  context: CommandContext,
): Promise<Trouble | null> {
  const folders = new BackgroundLinks(state)
  for (;;) {
    const kept = folders.find(folder)
    if (!kept) return null
    if (kept.is === 'failed') return new Trouble('failed', kept.message, kept.nextStep)
    if (kept.is === 'paused') return pausedTrouble(folder, context)
    // Whoever has nothing else to do need not stay for this.
    await pause(lookMs, undefined, { ref: false })
  }
}

/** That a folder is paused, in words; null if it is not. */
export const troubleIfPaused = (folder: string, state: StateFolder, context: CommandContext) =>
  new BackgroundLinks(state).find(folder)?.is === 'paused' ? pausedTrouble(folder, context) : null

const pausedTrouble = (folder: string, { called }: CommandContext) =>
  new Trouble('failed', `${folder} is paused.`, `\`${called.farhand} resume ${folder}\` goes on with it.`)
