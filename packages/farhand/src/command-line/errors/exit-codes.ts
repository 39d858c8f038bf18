import type { Exit } from '@farhand/device/trouble/trouble'

/** The exit codes of the command. Scripts rely on these numbers: add new ones, never change one. */
export const exitCodes = {
  fine: { code: 0, means: 'done, or stopped on request' },
  failed: { code: 1, means: 'it went wrong; the last lines say what and what to do' },
  usage: { code: 2, means: 'the command or a setting is wrong; nothing was changed' },
  alreadyRunning: {
    code: 3,
    means: 'another hub is running on the same data, or another runner for the same run',
  },
  portTaken: { code: 4, means: 'the port belongs to another program' },
  mustAsk: { code: 5, means: 'only a person can decide this; the last lines name the flags that answer it' },
  folderTaken: {
    code: 6,
    means: 'the folder is linked by another process, or lies in or around one that is',
  },
  fenced: { code: 7, means: "another runner has taken over the run's far side" },
  runClosed: { code: 8, means: 'the run is closed, and what this folder has may not be in it' },
  interrupted: {
    code: 130,
    means: 'stopped by Ctrl-C in a list to choose from, or the hard way, by a second one',
  },
} as const satisfies Record<Exit, { code: number; means: string }>

/** What a process of this command means by its exit code; null is the code of one that was killed. */
export const exitOf = (code: number | null): Exit =>
  (Object.entries(exitCodes).find(([, one]) => one.code === code)?.[0] ?? 'failed') as Exit
