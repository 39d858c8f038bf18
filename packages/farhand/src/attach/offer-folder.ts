import { readdirSync } from 'node:fs'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { findRun } from '@farhand/client/resources/resources'
import { readRepository } from '@farhand/device/base/read-repository'
import { isEvent } from '@farhand/protocol/events/event-names'
import { GitCommit } from '@farhand/protocol/methods/git'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { askYesNo } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'
import { patienceMs } from '../errors/hub-trouble.ts'
import { Trouble } from '../errors/trouble.ts'
import { folderToLink } from '../linked-folders/folder-to-link.ts'
import { folderHolder } from '../linked-folders/lock-folder.ts'
import type { KnownRun } from '../local-runs/local-runs.ts'
import { runInWords } from '../printing/run-in-words.ts'

/**
 * Asks whether the folder somebody is in shall be kept in step with a run that this machine has nothing of: only where nothing of
 * theirs could be in the way, which is in an empty folder, or in a clone of its repository without changes. Null if not.
 */
export async function offerFolder(
  { hub, at }: { hub: Hub; at: RunAddress },
  stateRoot: string,
  context: CommandContext,
): Promise<KnownRun | null> {
  if (!context.ask) return null
  const { sandbox, agent } = await findRun(hub, at.run, { signal: context.stop, patienceMs })
  if (sandbox === null || sandbox === 'none') return null
  const state = new StateFolder(stateRoot)
  const folder = await folderToLink('.', stateRoot, context).catch((error: unknown) => {
    // One that must not be linked is not offered.
    if (error instanceof Trouble) return null
    throw error
  })
  if (folder === null || state.around(folder) || folderHolder(state, folder) !== null) return null
  const isEmpty = readdirSync(folder).every((name) => name === '.farhand')
  if (!isEmpty && !(await isCleanClone(folder, await headOf({ hub, at }, context), context))) return null
  const what = isEmpty ? 'is empty' : 'is a clone of its repository'
  const question = `${folder} ${what}. Keep it in step with ${runInWords(at.run)}? [y/N] `
  if (!(await askYesNo(question, context))) return null
  return { url: hub.url, token: hub.token ?? '', at, agent: agent ?? '', workspace: folder, sandbox }
}

/** The commit that the run began from, as the user's repository knows it. */
async function headOf(
  { hub, at }: { hub: Hub; at: RunAddress },
  { stop }: CommandContext,
): Promise<string | null> {
  for await (const { notification } of readLog(hub, at, { signal: stop, patienceMs })) {
    if (!isEvent(notification, 'git_commit')) continue
    const commit = GitCommit.safeParse(notification.params).data
    if (commit && (commit.kind === 'base' || commit.kind === 'history')) return commit.head ?? null
  }
  return null
}

async function isCleanClone(
  folder: string,
  head: string | null,
  { env, stop }: CommandContext,
): Promise<boolean> {
  if (head === null) return false
  try {
    // One of the folders in a repository is not the repository.
    const repository = await readRepository(folder, env, stop)
    if (!repository) return false
    await repository.git('cat-file', '-e', `${head}^{commit}`)
    return (await repository.git('status', '--porcelain')).length === 0
  } catch {
    // No repository, none that has this commit, or no git.
    return false
  }
}
