import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { StateFolder } from '@farhand/sync/state/state-folder'

/** Remembers the agent of a folder as the default of its next run. */
export function rememberAgent(state: StateFolder, folder: string, agent: string): void {
  if (folder === '') return
  const place = state.placeOf(folder)
  mkdirSync(place, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(place, 'agent'), agent, { mode: 0o600 })
}

/** The agent that worked on this folder last; null if none has. */
export function lastAgent(state: StateFolder, folder: string): string | null {
  try {
    return readFileSync(path.join(state.placeOf(folder), 'agent'), 'utf8').trim()
  } catch {
    // No agent has worked on this folder yet.
    return null
  }
}
