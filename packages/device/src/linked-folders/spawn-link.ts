import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { backgroundEnvironment } from '../local-runs/background-environment.ts'

/** How a process of Farhand is started again. */
export type StartedAgain = {
  /** The program and the first arguments that start this command again. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
}

export type LinkWords = {
  /** Flags that name the run and hub, if the link is not remembered. */
  about?: readonly string[]
  words: readonly string[]
  /** The token for this hub; a remembered link has its own. */
  token?: string
}

/** The file to which a link in the background writes its output. */
export const linkLog = (state: StateFolder, folder: string) => path.join(state.placeOf(folder), 'link.log')

// Appending: another process that has the folder may still write here, and its lines must stay whole.
const anew = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

/** Starts a process that keeps a folder in sync and outlives this process and its terminal. */
export function spawnLink(
  folder: string,
  state: StateFolder,
  { about = [], words, token }: LinkWords,
  { self, env }: StartedAgain,
): ChildProcess {
  mkdirSync(state.placeOf(folder), { recursive: true, mode: 0o700 })
  // Truncated at each start: the file is about this process alone, and must not grow without end.
  const log = openSync(linkLog(state, folder), anew, 0o600)
  const [program, ...first] = self
  const link = ['link', folder, ...about, '--state', state.root, '--json', '--kept', ...words]
  try {
    const child = spawn(program, [...first, ...link], {
      // Not the linked folder: it may be gone, or the user may want to remove it.
      cwd: state.root,
      env: backgroundEnvironment(token, env),
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}
