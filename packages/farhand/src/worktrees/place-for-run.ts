import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { folderHolder, folderTaken, holderAround } from '@farhand/device/linked-folders/lock-folder'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import { worktreesFolder } from '@farhand/device/worktrees/worktree-name'
import {
  addWorktree,
  findOrigin,
  type NoOrigin,
  removeWorktree,
  type Worktree,
} from '@farhand/device/worktrees/worktrees'
import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { folderToLink } from '../linked-folders/folder-to-link.ts'
import { runHolding } from '../linked-folders/free-folder.ts'
import { worktreeInWords } from './worktree-in-words.ts'

export type RunPlace = {
  workspace: string
  /** The folder that the user named. Its remembered agent, hub and project are used for the worktree, too. */
  origin: string
  worktree: Worktree | null
}

type Wanted = {
  folder: string
  prompt: string | undefined
  /** true: always a worktree; false: never; undefined: only if another run is using the folder. */
  worktree: unknown
  json: unknown
}

/** The named folder if it is free, else a new worktree beside it. Throws if there can be none. */
export async function placeForRun(
  { folder, prompt, worktree: asked, json }: Wanted,
  state: StateFolder,
  context: CommandContext,
): Promise<RunPlace> {
  const origin = await folderToLink(folder, state.root, context)
  const holder = folderHolder(state, origin)
  if (asked !== true && holder === null) return { workspace: origin, origin, worktree: null }
  const run = holder === null ? null : runHolding(state, origin, holder)
  const taken = holder === null ? null : folderTaken(origin, holder, joinOrClose(run, context))
  if (taken && asked === false) throw taken
  const given = { env: context.env, signal: context.stop }
  const found = await findOrigin(origin, given)
  if ('why' in found) throw noWorktree(found, origin, taken, context)
  const inside = whereTo(found.top, state)
  const worktree = await addWorktree(found, { inside, prompt }, given).catch((error: Error) => {
    throw new Trouble(
      'failed',
      `A worktree of ${found.top} could not be made: ${error.message}.`,
      'Make one yourself with `git worktree add`, and name it with --folder.',
      error,
    )
  })
  const workspace = path.join(worktree.root, path.relative(found.top, origin))
  if (!existsSync(workspace)) {
    await removeWorktree(worktree, { discard: true }, given)
    throw new Trouble(
      'usage',
      `${origin} is not in the commit that a worktree would have.`,
      'Commit it first, or name the top folder of the repository with --folder.',
    )
  }
  // The user's decisions about the files of this folder hold for the same files in its worktree.
  saveFirstLook(state.placeOf(workspace), readFirstLook(state.placeOf(origin)))
  const { uncommitted } = found
  if (!json) context.note(worktreeInWords({ worktree, workspace, origin, uncommitted, run }, context))
  return { workspace, origin, worktree }
}

/** Removes a worktree again because its run has not begun. */
export async function discardPlace(
  { workspace, worktree }: RunPlace,
  state: StateFolder,
  { env }: CommandContext,
): Promise<void> {
  if (!worktree) return
  const given = { env, signal: AbortSignal.timeout(30_000) }
  // A failure here must not hide why the run did not begin; `git worktree list` shows what is left.
  await removeWorktree(worktree, { discard: true }, given).catch(() => {})
  state.forget(workspace)
}

/** Beside the repository, unless that place is itself synced with a run or not writable. */
function whereTo(top: string, state: StateFolder): string {
  const beside = worktreesFolder(top)
  const above = path.dirname(beside)
  const isSynced = state.around(beside) !== null || holderAround(beside) !== null
  return !isSynced && mayWrite(existsSync(beside) ? beside : above)
    ? beside
    : path.join(state.root, 'worktrees', path.basename(top))
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const joinOrClose = (run: string | null, { called: { farhand } }: CommandContext) =>
  run === null
    ? undefined
    : `That is for ${runInWords(run)}: \`${farhand} attach ${runInWords(run)}\` joins that, \`${farhand} close ${runInWords(run)}\` ends it.`

function noWorktree(
  found: NoOrigin,
  origin: string,
  taken: Trouble | null,
  { called }: CommandContext,
): Trouble {
  const how = {
    'no-repository': `In a git repository a second run gets a worktree of its own. Here, run it in a copy: cp -r ${shellWord(origin)} ${shellWord(`${origin}-2`)}, then ${called.farhand} run --folder ${shellWord(`${origin}-2`)}`,
    'no-commit': 'Commit something first: then a second run gets a worktree of its own.',
    'no-git': 'With git installed a second run gets a worktree of its own.',
    refused: 'Make a worktree yourself with `git worktree add`, and name it with --folder.',
  }[found.why]
  if (!taken) return new Trouble('usage', `Cannot make a worktree: ${found.says}.`, how)
  return new Trouble(
    'folderTaken',
    `${taken.message} Cannot make a worktree beside it: ${found.says}.`,
    `${taken.nextStep} ${how}`,
  )
}
