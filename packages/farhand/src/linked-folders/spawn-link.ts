import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { environmentFor } from '../local-runs/start-runner.ts'

export type LinkWords = {
  /** What it shall be linked to, if that is not remembered. */
  about?: readonly string[]
  words: readonly string[]
  /** The token for that; what is remembered has its own. */
  token?: string
}

/** Where a link in the background writes what it has to say. */
export const linkLog = (state: StateFolder, folder: string) => path.join(state.placeOf(folder), 'link.log')

// Appending: what another one, which has the folder, still has to say there must not be torn by one that comes too late.
const anew = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

/** Starts what keeps a folder in sync, in a process of its own that outlives this one and its terminal. */
export function spawnLink(
  folder: string,
  state: StateFolder,
  { about = [], words, token }: LinkWords,
  context: CommandContext,
): ChildProcess {
  mkdirSync(state.placeOf(folder), { recursive: true, mode: 0o700 })
  // Anew each time: it is about this process alone, and must not grow for ever.
  const log = openSync(linkLog(state, folder), anew, 0o600)
  const [program, ...first] = context.self
  const link = ['link', folder, ...about, '--state', state.root, '--json', '--kept', ...words]
  try {
    const child = spawn(program, [...first, ...link], {
      // Not the folder itself: it may be gone, or somebody may want it to go.
      cwd: state.root,
      env: environmentFor(token, context),
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}
