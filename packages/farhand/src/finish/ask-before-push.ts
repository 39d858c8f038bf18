import { emptyTree } from '@farhand/device/git/run-git'
import { addedText } from '@farhand/device/pull-requests/added-text'
import { changedHooks } from '@farhand/device/pull-requests/changed-hooks'
import { gitAsUser } from '@farhand/device/pull-requests/git-as-user'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { secretName } from '@farhand/device/secret-scan/secret-name'
import { secretsIn } from '@farhand/device/secret-scan/secrets-in'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { askYesNo } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'

type Flags = { yes?: unknown; json?: unknown; dryRun?: unknown }

const plain = [
  ...['--patch', '--unified=0', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'],
  ...['--src-prefix=a/', '--dst-prefix=b/'],
]
const mostShown = 5
const mostBytes = 32 * 1024 * 1024

/**
 * Asks before pushing what looks like a secret: all users of the remote can read it, and it stays in the history. That
 * includes secrets that a later commit removes again.
 */
export async function askAboutSecrets(
  { repository, base }: RunToFinish,
  { from, tip, tree }: { from: string | null; tip: string; tree: string },
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const { stop: signal } = context
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
  const found = [...new Set([...names, ...added.keys()])].flatMap((path) => {
    const kind = secretName(path) ?? secretsIn(path, added.get(path) ?? '')[0]?.kind
    return kind
      ? [`${pathInWords(path)} (${kind}${names.has(path) ? '' : ', in a commit of the agent'})`]
      : []
  })
  if (found.length === 0) return
  const says = `This looks like secrets: ${someOf(found)}.`
  await mayGo(says, ['Push anyway?', 'Have the agent remove it, or push with --yes.'], flags, context)
}

/**
 * Asks before git uses files that the run has changed: hooks, which run here with all of the user's permissions, and
 * settings, which say where a push goes. It must be called before anything reaches a remote.
 */
export async function askAboutHooks(
  { repository, base }: RunToFinish,
  { tree }: { tree: string },
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const asked = ['config', '--type=path', '--get', 'core.hooksPath']
  const set = (await gitAsUser(asked, repository, context, { hooks: true }))?.out.trim() ?? ''
  const { files } = repository.suspects
  if (set === '' && files.length === 0) return
  const listed = ['diff-tree', '-r', '-z', '--name-only', base ?? emptyTree, tree]
  const changed = (await repository.run(listed, { signal: context.stop })).toString('utf8').split('\0')
  const hooks = changedHooks(set, repository.folder, changed.slice(0, -1)).map(pathInWords)
  const settings = files.filter((file) => changed.includes(file)).map(pathInWords)
  if (hooks.length === 0 && settings.length === 0) return
  const says = [
    ...(hooks.length > 0
      ? [`The run has changed hooks that git runs on this machine: ${someOf(hooks)}.`]
      : []),
    ...(settings.length > 0
      ? [`The run has changed settings that git reads here: ${someOf(settings)}.`]
      : []),
  ].join(' ')
  await mayGo(says, ['Allow that?', 'Look at them first; then --yes.'], flags, context)
}

const someOf = (found: readonly string[]) =>
  found.slice(0, mostShown).join(', ') +
  (found.length > mostShown ? `, and ${found.length - mostShown} more` : '')

/** Resolves if the user agrees, or has agreed with --yes; throws otherwise. */
async function mayGo(
  says: string,
  [question, next]: readonly [string, string],
  { yes, json, dryRun }: Flags,
  context: CommandContext,
): Promise<void> {
  if (yes || dryRun) return json ? undefined : context.note(`${says}\n`)
  const answer = json ? null : await askYesNo(`${says} ${question} [y/N] `, context)
  if (answer) return
  throw new Trouble(answer === null ? 'mustAsk' : 'failed', says, `Nothing was pushed. ${next}`)
}
