import { folderTaken } from '@farhand/device/linked-folders/lock-folder'
import { Trouble } from '@farhand/device/trouble/trouble'
import { shellWord } from '@farhand/device/wording/shell-word'
import { findRunPlace, type RunPlace, type Taken } from '@farhand/device/worktrees/find-run-place'
import type { NoOrigin } from '@farhand/device/worktrees/worktrees'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { folderToLink } from '../link/folder-to-link.ts'
import { joinOrClose } from '../link/free-folder.ts'
import { worktreeInWords } from './worktree-in-words.ts'

type Wanted = {
  folder: string
  prompt: string | undefined
  /** true: always a worktree; false: never; undefined: only if another run is using the folder. */
  worktree: unknown
  json: unknown
}

/** The named folder if it is free, else a new worktree beside it. Throws if there can be none. */
export async function placeForRun(
  { folder, prompt, worktree, json }: Wanted,
  state: StateFolder,
  context: CommandContext,
): Promise<RunPlace> {
  const origin = await folderToLink(folder, state.root, context)
  const given = { env: context.env, signal: context.stop }
  const found = await findRunPlace({ origin, prompt, worktree }, state, given)
  switch (found.is) {
    case 'folder':
      return found.place
    case 'worktree': {
      const { place, uncommitted, taken } = found
      if (!json) context.note(worktreeInWords({ ...place, uncommitted, run: taken?.run ?? null }, context))
      return place
    }
    case 'taken':
      throw takenTrouble(origin, found.taken, context)
    case 'no-worktree':
      throw noWorktree(
        found.origin,
        origin,
        found.taken && takenTrouble(origin, found.taken, context),
        context,
      )
  }
}

const takenTrouble = (origin: string, { pid, run }: Taken, context: CommandContext) =>
  folderTaken(origin, pid, joinOrClose(run, context))

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
