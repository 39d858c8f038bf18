import { changedForGit, secretsToPush } from '@farhand/device/pull-requests/look-before-push'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { askYesNo } from '../../terminal/choice/ask-key.ts'

type Flags = { yes?: unknown; json?: unknown; dryRun?: unknown }

const mostShown = 5

/**
 * Asks before pushing what looks like a secret: all users of the remote can read it, and it stays in the history. That
 * includes secrets that a later commit removes again.
 */
export async function askAboutSecrets(
  run: RunToFinish,
  pushed: { from: string | null; tip: string; tree: string },
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const secrets = await secretsToPush(run, pushed, context.stop)
  const found = secrets.map(
    ({ path, kind, isInCommit }) =>
      `${pathInWords(path)} (${kind}${isInCommit ? ', in a commit of the agent' : ''})`,
  )
  if (found.length === 0) return
  const says = `This looks like secrets: ${someOf(found)}.`
  await mayGo(says, ['Push anyway?', 'Have the agent remove it, or push with --yes.'], flags, context)
}

/**
 * Asks before git uses files that the run has changed: hooks, which run here with all of the user's permissions, and
 * settings, which say where a push goes. It must be called before anything reaches a remote.
 */
export async function askAboutHooks(
  run: RunToFinish,
  { tree }: { tree: string },
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const changed = await changedForGit(run, tree, context)
  const hooks = changed.hooks.map(pathInWords)
  const settings = changed.settings.map(pathInWords)
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
