import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Link } from '@farhand/sync/state/state-folder'
import type { CommitFetcher, CommitFetcherParts } from '../commits/commit-fetcher.ts'
import type { GitEnv } from '../git/run-git.ts'

type Around = {
  user: Hub
  memory: string
  env: GitEnv
  signal: AbortSignal
  stop: AbortSignal
  /** Called with the names of the agent's branches that are new or moved. */
  onBranches: (names: readonly string[]) => void
  /** Called once for each reason why commits stay at the hub for now. */
  onTrouble: (why: string) => void
}

export type CommitsWhileLinked = {
  hear(event: SeenEvent): void
  /** Resolves when the commits seen so far are fetched, after `mostMs` at the latest. */
  settled(mostMs: number): Promise<void>
}

/**
 * Fetches the agent's commits into the repository of a linked folder. The code for it is loaded with the first commit.
 */
export function fetchCommitsWhileLinked(
  link: Link,
  { user, memory, env, signal, stop, onBranches, onTrouble }: Around,
): CommitsWhileLinked {
  let loading: Promise<CommitFetcher> | null = null
  const parts: CommitFetcherParts = {
    folder: link.folder,
    place: path.join(memory, 'commits'),
    hub: user,
    at: link.at,
    env,
    signal,
    on: (news) => {
      const names = news.map(({ ref }) => ref.replace(/^refs\//, ''))
      const branches = names.filter((name) => !/^farhand\/run_[^/]+\/(base|checkpoint)$/.test(name))
      if (branches.length > 0) onBranches(branches)
    },
    onTrouble,
  }
  return {
    hear(event) {
      if (!isEvent(event.notification, 'git_commit') || link.wins !== 'disk') return
      loading ??= import('../commits/commit-fetcher.ts').then(({ CommitFetcher }) => new CommitFetcher(parts))
      void loading.then((fetcher) => fetcher.hear(event))
    },
    async settled(mostMs) {
      if (!loading) return
      const enough = new Promise<void>((resolve) => {
        setTimeout(resolve, mostMs).unref()
        signal.addEventListener('abort', () => resolve(), { once: true })
        stop.addEventListener('abort', () => resolve(), { once: true })
      })
      await Promise.race([loading.then((fetcher) => fetcher.settled()), enough])
    },
  }
}
