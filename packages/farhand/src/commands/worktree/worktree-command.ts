import { existsSync } from 'node:fs'
import path from 'node:path'
import { type KnownRun, KnownRuns } from '@farhand/device/known-runs/known-runs'
import { folderToForget } from '@farhand/device/linked-folders/lock-folder'
import { realPath } from '@farhand/device/real-path'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { removeWorktree, unsavedFiles } from '@farhand/device/worktrees/worktrees'
import { isWithin, StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { nameOrChoice } from '../../terminal/choice/name-or-choice.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { unsavedInWords } from './worktree-in-words.ts'

type Flags = { state?: unknown; json?: unknown; discard?: unknown }
type InWorktree = KnownRun & { worktree: NonNullable<KnownRun['worktree']> }

const inWorktrees = (runs: KnownRuns): InWorktree[] =>
  runs
    .all()
    .filter((known): known is InWorktree => known.worktree !== undefined && existsSync(known.worktree.root))

export const listWorktrees = (flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const found = inWorktrees(new KnownRuns(stateFolderPath(flags.state, context)))
    if (found.length === 0 && !flags.json) return context.out('No run has its own worktree.\n')
    const { bold, dim } = paint(context.color)
    for (const { at, worktree } of found) {
      const { root, branch, of } = worktree
      const unsaved = await unsavedFiles(root, { env: context.env, signal: context.stop }).catch(() => null)
      if (flags.json) context.out(`${JSON.stringify({ folder: root, branch, of, run: at.run, unsaved })}\n`)
      else
        context.out(
          `${bold(root)}  ${branch}  ${runInWords(at.run)}\n  ${dim(unsaved === null ? 'no worktree any more' : unsaved.length === 0 ? 'nothing unsaved' : unsavedInWords(unsaved))}\n`,
        )
    }
  })

/** Removes the worktree of a run. Throws if uncommitted files would be lost, unless `--discard` is given. */
export const removeWorktreeCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const place = stateFolderPath(flags.state, context)
    const runs = new KnownRuns(place)
    const found = inWorktrees(runs)
    const among = found.map(({ at, worktree }) => ({ name: worktree.root, says: runInWords(at.run) }))
    const none = 'A second run in a folder gets one.'
    const folder = await nameOrChoice(named, { what: 'worktree', among, none, json: flags.json }, context)
    const asked = realPath(path.resolve(context.cwd, folder))
    const known = found.find(({ worktree }) => isWithin(realPath(worktree.root), asked))
    if (!known) {
      const next = `\`${context.called.farhand} worktree ls\` lists them.`
      throw new Trouble('usage', `${asked} is not a worktree of a run.`, next)
    }
    const { worktree, workspace, at } = known
    const given = { env: context.env, signal: context.stop }
    const unsaved = await unsavedFiles(worktree.root, given)
    if (unsaved.length > 0 && flags.discard !== true)
      throw new Trouble(
        'mustAsk',
        `${worktree.root} has files that would be lost, ${unsavedInWords(unsaved)}.`,
        `Commit them, or remove it with --discard. \`${context.called.farhand} close ${runInWords(at.run)}\` ends its run.`,
      )
    if (runs.holder(at.run) !== null)
      throw new Trouble(
        'folderTaken',
        `${runInWords(at.run)} works in ${worktree.root}.`,
        `End it first: ${context.called.farhand} close ${runInWords(at.run)}`,
      )
    const state = new StateFolder(place)
    const lock = await folderToForget(state, workspace)
    try {
      const { branchStays } = await removeWorktree(worktree, { discard: flags.discard === true }, given)
      state.forget(workspace)
      const { root, branch } = worktree
      if (flags.json) context.out(`${JSON.stringify({ folder: root, branch, removed: true, branchStays })}\n`)
      else
        context.out(`${root} is removed.${branchStays ? ` Its commits are on the branch ${branch}.` : ''}\n`)
    } finally {
      lock.release()
    }
  })
