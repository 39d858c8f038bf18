import { setTimeout as pause } from 'node:timers/promises'
import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { ProcessContext } from '../context/command-context.ts'

const lookMs = 200

/** Resolves when a folder is no longer kept in sync: to null if its run is closed, else to the reason. */
export async function followBackgroundLink(
  folder: string,
  state: StateFolder,
  context: ProcessContext,
): Promise<Trouble | null> {
  const folders = new BackgroundLinks(state)
  for (;;) {
    const kept = folders.find(folder)
    if (!kept) return null
    if (kept.is === 'failed') return new Trouble('failed', kept.message, kept.nextStep)
    if (kept.is === 'paused') return pausedTrouble(folder, context)
    // This must not keep the process alive.
    await pause(lookMs, undefined, { ref: false })
  }
}

/** Trouble if the folder is paused, else null. */
export const troubleIfPaused = (folder: string, state: StateFolder, context: ProcessContext) =>
  new BackgroundLinks(state).find(folder)?.is === 'paused' ? pausedTrouble(folder, context) : null

const pausedTrouble = (folder: string, { called }: ProcessContext) =>
  new Trouble('failed', `${folder} is paused.`, `\`${called.farhand} resume ${folder}\` goes on with it.`)
