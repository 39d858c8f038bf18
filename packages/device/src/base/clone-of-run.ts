import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { isEvent } from '@farhand/protocol/events/event-names'
import { GitCommit } from '@farhand/protocol/methods/git'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { GitEnv } from '../git/run-git.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { readRepository } from './read-repository.ts'

type Run = { hub: Hub; at: RunAddress }

/** Whether a folder is an unchanged clone of the repository that the run began from. */
export async function isCloneOfRun(
  folder: string,
  run: Run,
  env: GitEnv,
  stop: AbortSignal,
): Promise<boolean> {
  const head = await headOf(run, stop)
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

/** The commit of the user's repository that the run began from. */
async function headOf({ hub, at }: Run, signal: AbortSignal): Promise<string | null> {
  for await (const { notification } of readLog(hub, at, { signal, patienceMs })) {
    if (!isEvent(notification, 'git_commit')) continue
    const commit = GitCommit.safeParse(notification.params).data
    if (commit && (commit.kind === 'base' || commit.kind === 'history')) return commit.head ?? null
  }
  return null
}
