import { BackgroundLinks } from '@farhand/device/device-process/background-links'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { ProcessContext } from '../../context/command-context.ts'

/** Trouble if the folder is paused, else null. */
export const troubleIfPaused = (folder: string, state: StateFolder, context: ProcessContext) =>
  new BackgroundLinks(state).find(folder)?.is === 'paused' ? pausedTrouble(folder, context) : null

export const pausedTrouble = (folder: string, { called }: Pick<ProcessContext, 'called'>) =>
  new Trouble('failed', `${folder} is paused.`, `\`${called.farhand} resume ${folder}\` goes on with it.`)
