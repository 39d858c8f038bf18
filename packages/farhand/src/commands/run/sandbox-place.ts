import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { RunPlace } from '@farhand/device/worktrees/find-run-place'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { freeFolder } from '../link/free-folder.ts'
import type { AgentRunFlags } from './run-flags.ts'
import type { SandboxAsked } from './sandbox-flags.ts'

/** The folder that is kept in sync with a sandbox. With `--clone` it must be empty; an empty path means that no folder is synced. */
export async function placeForSandbox(
  prompt: string | undefined,
  { terms }: SandboxAsked,
  { folder, worktree, json }: AgentRunFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<RunPlace> {
  if (terms.clone === undefined) {
    const { placeForRun } = await import('../worktree/place-for-run.ts')
    return await placeForRun({ folder: String(folder ?? '.'), prompt, worktree, json }, state, context)
  }
  const workspace = folder === undefined ? '' : await emptyFolder(String(folder), state, context)
  return { workspace, origin: workspace, worktree: null }
}

async function emptyFolder(given: string, state: StateFolder, context: CommandContext): Promise<string> {
  const place = path.resolve(context.cwd, given)
  if (!existsSync(place)) mkdirSync(place, { recursive: true })
  const folder = await freeFolder(place, state, context)
  if (readdirSync(folder).every((name) => name === '.farhand')) return folder
  throw new Trouble(
    'usage',
    `${folder} is not empty, and --clone begins with what it fetches.`,
    'Name an empty folder, or leave --folder out: then nothing is kept here.',
  )
}
