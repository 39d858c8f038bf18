import { writeRunTree } from '../commits/write-run-tree.ts'
import { emptyTree } from '../git/run-git.ts'
import { Trouble } from '../trouble/trouble.ts'
import { gitAsUser } from './git-as-user.ts'
import type { StartedBy } from './program-as-user.ts'
import type { RunToFinish } from './run-to-finish.ts'

export type Uncommitted = {
  /** The tree of the run's files, and that of the agent's newest commit. */
  tree: string
  tipTree: string
  paths: string[]
}

/** The run's files that the agent has not committed. Objects for them are written to the repository, without a ref. */
export async function readUncommitted(
  run: RunToFinish,
  { stop: signal }: { stop: AbortSignal },
): Promise<Uncommitted> {
  const { repository, tip, files } = run
  const tree = await writeRunTree({ ...run, signal }, tip, files)
  const tipTree = tip ? await repository.text(['rev-parse', `${tip}^{tree}`], { signal }) : emptyTree
  const listed = await repository.run(['diff-tree', '-r', '-z', '--name-only', tipTree, tree], { signal })
  return { tree, tipTree, paths: listed.toString('utf8').split('\0').slice(0, -1) }
}

/** Makes a commit by the user, signed if they sign theirs. Nothing is checked out, and no ref points to it yet. */
export async function commitTree(
  { repository }: RunToFinish,
  { tree, parents, message }: { tree: string; parents: readonly string[]; message: string },
  by: StartedBy,
): Promise<string> {
  const git = (...args: string[]) => gitAsUser(args, repository, by, { input: message })
  const signs = (await git('config', '--type=bool', '--get', 'commit.gpgsign'))?.out.trim() === 'true'
  const words = parents.flatMap((parent) => ['-p', parent])
  const made = await git('commit-tree', ...(signs ? ['-S'] : []), ...words, tree)
  if (made?.code === 0) return made.out.trim()
  const said = made?.said.trim() ?? 'git is not installed'
  if (/tell me who you are|ident name|empty ident/i.test(said))
    throw new Trouble(
      'failed',
      'Git does not know who you are, and a commit needs an author.',
      'git config --global user.name "..." and user.email, then try again.',
    )
  throw new Trouble(
    'failed',
    `Git could not make a commit: ${said.split('\n').at(-1)}`,
    'Nothing was changed.',
  )
}
