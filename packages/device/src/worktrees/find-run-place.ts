import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { readFirstLook, saveFirstLook } from '@farhand/sync/state/first-look-memory'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { runHolding } from '../known-runs/run-holding.ts'
import { folderHolder, holderAround } from '../linked-folders/lock-folder.ts'
import { Trouble } from '../trouble/trouble.ts'
import { worktreesFolder } from './worktree-name.ts'
import { addWorktree, findOrigin, type NoOrigin, removeWorktree, type Worktree } from './worktrees.ts'

export type RunPlace = {
  workspace: string
  /** The folder that the user named. Its remembered agent, hub and project are used for the worktree, too. */
  origin: string
  worktree: Worktree | null
}

/** The process that keeps the named folder in sync, and its run, if that is known. */
export type Taken = { pid: number; run: string | null }

export type FoundPlace =
  | { is: 'folder'; place: RunPlace }
  /** A new worktree, which lacks this many uncommitted changes of the folder. */
  | { is: 'worktree'; place: RunPlace & { worktree: Worktree }; uncommitted: number; taken: Taken | null }
  | { is: 'taken'; taken: Taken }
  | { is: 'no-worktree'; origin: NoOrigin; taken: Taken | null }

type Wanted = {
  /** The real path of the folder that the user named. */
  origin: string
  prompt: string | undefined
  /** true: always a worktree; false: never; undefined: only if another run is using the folder. */
  worktree: unknown
}

type Given = { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal }

/** The named folder if it is free, else a new worktree beside it, or why there is neither. */
export async function findRunPlace(
  { origin, prompt, worktree: asked }: Wanted,
  state: StateFolder,
  given: Given,
): Promise<FoundPlace> {
  const pid = folderHolder(state, origin)
  if (asked !== true && pid === null)
    return { is: 'folder', place: { workspace: origin, origin, worktree: null } }
  const taken = pid === null ? null : { pid, run: runHolding(state, origin, pid) }
  if (taken && asked === false) return { is: 'taken', taken }
  const found = await findOrigin(origin, given)
  if ('why' in found) return { is: 'no-worktree', origin: found, taken }
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
  return {
    is: 'worktree',
    place: { workspace, origin, worktree },
    uncommitted: found.uncommitted,
    taken,
  }
}

/** Removes a worktree again because its run has not begun. */
export async function discardPlace(
  { workspace, worktree }: RunPlace,
  state: StateFolder,
  { env }: Pick<Given, 'env'>,
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
