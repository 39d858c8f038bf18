import { setTimeout as pause } from 'node:timers/promises'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../daemon/background-links.ts'

/** Why a folder is no longer kept in sync in the background. */
export type BackgroundEnd =
  | { is: 'run-closed' }
  | { is: 'paused' }
  | { is: 'failed'; message: string; nextStep: string }

const lookMs = 200

/** Resolves when a folder is no longer kept in sync. */
export async function followBackgroundLink(folder: string, state: StateFolder): Promise<BackgroundEnd> {
  const folders = new BackgroundLinks(state)
  for (;;) {
    const kept = folders.find(folder)
    if (!kept) return { is: 'run-closed' }
    if (kept.is === 'failed') return { is: 'failed', message: kept.message, nextStep: kept.nextStep }
    if (kept.is === 'paused') return { is: 'paused' }
    // This must not keep the process alive.
    await pause(lookMs, undefined, { ref: false })
  }
}
