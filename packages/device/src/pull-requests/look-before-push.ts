import path from 'node:path'
import { emptyTree } from '../git/run-git.ts'
import { secretName } from '../secret-scan/secret-name.ts'
import { secretsIn } from '../secret-scan/secrets-in.ts'
import { addedText } from './added-text.ts'
import { gitAsUser } from './git-as-user.ts'
import type { StartedBy } from './program-as-user.ts'
import type { RunToFinish } from './run-to-finish.ts'

const plain = [
  ...['--patch', '--unified=0', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'],
  ...['--src-prefix=a/', '--dst-prefix=b/'],
]
const mostBytes = 32 * 1024 * 1024

/** A file that would be pushed and looks like a secret. `isInCommit`: a commit of the agent has it, and a later one does not. */
export type PushedSecret = { path: string; kind: string; isInCommit: boolean }

/** What looks like a secret in the commits and files that are about to be pushed, also where a later commit removes it again. */
export async function secretsToPush(
  { repository, base }: RunToFinish,
  { from, tip, tree }: { from: string | null; tip: string; tree: string },
  signal: AbortSignal,
): Promise<PushedSecret[]> {
  const begin = from ?? base
  const differs = [begin ?? emptyTree, tree]
  const listed = ['diff-tree', '-r', '-z', '--name-only', '--diff-filter=d', ...differs]
  const names = new Set((await repository.run(listed, { signal })).toString('utf8').split('\0').slice(0, -1))
  const now = await repository.run(['diff-tree', '-r', ...plain, ...differs], { signal })
  const commits = ['log', '--format=', '--no-show-signature', '--diff-merges=first-parent', ...plain, tip]
  const before = await repository.run([...commits, ...(begin ? [`^${begin}`] : [])], { signal })
  const added = addedText(
    [now, before].map((patch) => patch.subarray(0, mostBytes).toString('utf8')).join('\n'),
  )
  return [...new Set([...names, ...added.keys()])].flatMap((path) => {
    const kind = secretName(path) ?? secretsIn(path, added.get(path) ?? '')[0]?.kind
    return kind ? [{ path, kind, isInCommit: !names.has(path) }] : []
  })
}

/** The files with which the run could change what git does here: hooks that git would run, and settings that it reads. */
export async function changedForGit(
  { repository, base }: RunToFinish,
  tree: string,
  by: StartedBy,
): Promise<{ hooks: string[]; settings: string[] }> {
  const asked = ['config', '--type=path', '--get', 'core.hooksPath']
  const set = (await gitAsUser(asked, repository, by, { hooks: true }))?.out.trim() ?? ''
  const { files } = repository.suspects
  if (set === '' && files.length === 0) return { hooks: [], settings: [] }
  const listed = ['diff-tree', '-r', '-z', '--name-only', base ?? emptyTree, tree]
  const changed = (await repository.run(listed, { signal: by.stop })).toString('utf8').split('\0')
  return {
    hooks: changedHooks(set, repository.folder, changed.slice(0, -1)),
    settings: files.filter((file) => changed.includes(file)),
  }
}

/** The changed files that git would run as hooks, if the hooks folder is inside the work tree. */
export function changedHooks(hooksPath: string, top: string, changed: readonly string[]): string[] {
  if (hooksPath === '') return []
  const way = path.relative(top, path.resolve(top, hooksPath)).split(path.sep)
  if (way[0] === '..' || path.isAbsolute(way[0]!)) return []
  // Tools such as husky set a `_` folder whose scripts call the ones beside it.
  if (way.at(-1)?.startsWith('_')) way.pop()
  const folder = way.filter((part) => part !== '').map((part) => `${part}/`)
  return changed.filter((one) => one.startsWith(folder.join('')))
}
