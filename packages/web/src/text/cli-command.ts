/**
 * The command on the hub's machine: `farhand` where it is installed, `npx farhand` where the hub runs from a clone;
 * the latter works only in the folder of the clone.
 */
export const cliCommand: string =
  (typeof document === 'undefined'
    ? null
    : document.querySelector<HTMLMetaElement>('meta[name="farhand-command"]')?.content) || 'farhand'

const isOfClone = cliCommand.startsWith('npx ')

/** Where the user has to type `startCommand`. */
export const startPlace: string = isOfClone
  ? 'On your computer, in the folder of Farhand itself'
  : 'On your computer, in the folder that an agent is to work on'

/** The command that starts a run with the files of a folder. */
export const startCommand: string = isOfClone
  ? `${cliCommand} run --folder <your project>`
  : `${cliCommand} run`
