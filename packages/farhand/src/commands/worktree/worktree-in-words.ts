import { runInWords } from '@farhand/device/wording/run-in-words'
import type { Worktree } from '@farhand/device/worktrees/worktrees'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'

type Beside = {
  worktree: Worktree
  workspace: string
  origin: string
  uncommitted: number
  /** The run that is using the folder itself; null if it is free. */
  run: string | null
}

/** Tells the user that the run works in a worktree, where it is, and which changes it does not have. */
export function worktreeInWords(
  { worktree, workspace, origin, uncommitted, run }: Beside,
  { called, color }: Pick<CommandContext, 'called' | 'color'>,
): string {
  const { bold } = paint(color)
  const why =
    run === null
      ? 'This run works in a git worktree of its own:'
      : `${origin} is kept in sync with ${runInWords(run)} (\`${called.farhand} attach ${runInWords(run)}\` joins it).\nThis run works beside it, in a git worktree of its own:`
  const changes = uncommitted === 1 ? '1 uncommitted change' : `${uncommitted} uncommitted changes`
  const without =
    uncommitted === 0 ? '' : `  ${changes} in ${origin} ${uncommitted === 1 ? 'is' : 'are'} not in it.\n`
  return `${why}\n  ${bold(workspace)}, on the branch ${worktree.branch}, from ${worktree.head.slice(0, 7)}\n${without}`
}

const mostNamed = 3

/** Why a worktree is not removed: what would be lost with it. */
export function unsavedInWords(files: readonly string[]): string {
  const named = files.slice(0, mostNamed).join(', ')
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ''
  return `not committed: ${named}${more}`
}
