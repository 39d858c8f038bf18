import { readdirSync } from 'node:fs'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { findRun } from '@farhand/client/resources/resources'
import { readRepository } from '@farhand/device/base/read-repository'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import type { KnownRun } from '@farhand/device/local-runs/local-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { isEvent } from '@farhand/protocol/events/event-names'
import { GitCommit } from '@farhand/protocol/methods/git'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { askYesNo } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'
import { folderToLink } from '../linked-folders/folder-to-link.ts'

/**
 * Asks whether to link the current folder to a run that has no folder on this machine. It only asks where the link
 * cannot overwrite anything: in an empty folder, or in an unchanged clone of the run's repository. Null if not.
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
    // A folder that must not be linked is not offered.
    if (error instanceof Trouble) return null
    throw error
  })
  if (folder === null || state.around(folder) || folderHolder(state, folder) !== null) return null
  const isEmpty = readdirSync(folder).every((name) => name === '.farhand')
  if (!isEmpty && !(await isCleanClone(folder, await headOf({ hub, at }, context), context))) return null
  const what = isEmpty ? 'is empty' : 'is a clone of its repository'
  const question = `${folder} ${what}. Keep it in sync with ${runInWords(at.run)}? [y/N] `
  if (!(await askYesNo(question, context))) return null
  return { url: hub.url, token: hub.token ?? '', at, agent: agent ?? '', workspace: folder, sandbox }
}

/** The commit of the user's repository that the run began from. */
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
    // A folder inside a repository does not count as its clone.
    const repository = await readRepository(folder, env, stop)
    if (!repository) return false
    await repository.git('cat-file', '-e', `${head}^{commit}`)
    return (await repository.git('status', '--porcelain')).length === 0
  } catch {
    // No repository, none that has this commit, or no git.
    return false
  }
}
