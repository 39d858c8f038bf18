/**
 * How the command is called on the machine of the hub that served this page: `farhand` where it is installed, `npx farhand`
 * where the hub runs from a clone, which then works in that folder only.
 */
export const cliCommand: string =
  (typeof document === 'undefined'
    ? null
    : document.querySelector<HTMLMetaElement>('meta[name="farhand-command"]')?.content) || 'farhand'

const isOfClone = cliCommand.startsWith('npx ')

/** Where `startCommand` is to be typed. */
export const startPlace: string = isOfClone
  ? 'On your computer, in the folder of Farhand itself'
  : 'On your computer, in the folder that an agent is to work on'

/** The command that begins a run with the files of a folder. */
export const startCommand: string = isOfClone
  ? `${cliCommand} run --folder <your project>`
  : `${cliCommand} run`
