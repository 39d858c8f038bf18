import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import type { CommitFetcher, CommitFetcherParts } from '@farhand/device/commits/commit-fetcher'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Link } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import type { LinkScreen } from '../link-screen/link-screen.ts'

type Around = { user: Hub; memory: string; screen: LinkScreen; context: CommandContext; signal: AbortSignal }

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
  { user, memory, screen, context, signal }: Around,
): CommitsWhileLinked {
  let loading: Promise<CommitFetcher> | null = null
  const parts: CommitFetcherParts = {
    folder: link.folder,
    place: path.join(memory, 'commits'),
    hub: user,
    at: link.at,
    env: context.env,
    signal,
    on: (news) => {
      const names = news.map(({ ref }) => ref.replace(/^refs\//, ''))
      const branches = names.filter((name) => !/^farhand\/run_[^/]+\/(base|checkpoint)$/.test(name))
      if (branches.length > 0)
        screen.say(
          `The agent has committed: ${branches.map(lineInWords).join(', ')}. See \`${context.called.farhand} commits\`.`,
        )
    },
    onTrouble: (why) =>
      screen.say(`What the agent has committed stays at the hub for now: ${lineInWords(why)}`),
  }
  return {
    hear(event) {
      if (!isEvent(event.notification, 'git_commit') || link.wins !== 'disk') return
      loading ??= import('@farhand/device/commits/commit-fetcher').then(
        ({ CommitFetcher }) => new CommitFetcher(parts),
      )
      void loading.then((fetcher) => fetcher.hear(event))
    },
    async settled(mostMs) {
      if (!loading) return
      const enough = new Promise<void>((resolve) => {
        setTimeout(resolve, mostMs).unref()
        signal.addEventListener('abort', () => resolve(), { once: true })
        context.stop.addEventListener('abort', () => resolve(), { once: true })
      })
      await Promise.race([loading.then((fetcher) => fetcher.settled()), enough])
    },
  }
}
