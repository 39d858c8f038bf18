import { emptyTree } from '../git/run-git.ts'
import { Trouble } from '../trouble/trouble.ts'
import type { StartedBy } from './program-as-user.ts'
import type { RunToFinish } from './run-to-finish.ts'
import { commitTree, readUncommitted } from './uncommitted.ts'

// The user's diff settings are for people; programs read this patch.
const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/']
const whole = ['--binary', '--full-index', '--find-renames', ...plain]

/** Everything that the run has changed, as one patch; with or without what its agent has not committed. */
export async function runPatch(
  run: RunToFinish,
  withUncommitted: boolean,
  { stop: signal }: { stop: AbortSignal },
): Promise<Buffer> {
  const { repository, base } = run
  const { tree, tipTree } = await readUncommitted(run, { stop: signal })
  const to = withUncommitted ? tree : tipTree
  return await repository.run(['diff-tree', '-r', '--patch', ...whole, base ?? emptyTree, to], { signal })
}

/** The same as a series, a patch for each commit. `message` is for what is in no commit; `onUncommitted` gets its paths. */
export async function runPatchSeries(
  run: RunToFinish,
  { withUncommitted, message, onUncommitted }: Series,
  by: StartedBy,
): Promise<Buffer> {
  const { repository, base } = run
  const { stop: signal } = by
  let { tip } = run
  const { tree, tipTree, paths } = await readUncommitted(run, by)
  if (withUncommitted && tree !== tipTree) {
    tip = await commitTree(run, { tree, parents: tip ? [tip] : [], message }, by)
    onUncommitted(paths)
  }
  if (tip === null || tip === base) return Buffer.alloc(0)
  const range = base === null ? [tip] : [`${base}..${tip}`]
  const merges = await repository.text(['rev-list', '--merges', '--max-count=1', ...range], { signal })
  if (merges !== '')
    throw new Trouble(
      'failed',
      'The agent has made a merge commit, which cannot be a patch.',
      'Without --commits it is all in one patch.',
    )
  const root = base === null ? ['--root'] : []
  return await repository.run(
    ['format-patch', '--stdout', '--binary', '--full-index', ...plain, ...root, ...range],
    {
      signal,
    },
  )
}

type Series = {
  withUncommitted: boolean
  message: string
  onUncommitted: (paths: readonly string[]) => void
}
