import type { Hub } from '@farhand/client/requests/hub'
import { eventName } from '@farhand/protocol/events/event-names'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { GitEnv } from '../git/run-git.ts'
import { CommitsFailed } from './commits-failed.ts'
import { readLoggedCommits } from './read-logged-commits.ts'
import { type TakenRef, takeCommits } from './take-commits.ts'
import { UserRepository } from './user-repository.ts'

export type CommitFetcherParts = {
  folder: string
  /** A state folder for this run and this folder only. */
  place: string
  hub: Hub
  at: RunAddress
  env: GitEnv
  /** Called with the refs that are new or moved. */
  on: (news: TakenRef[]) => void
  /** Called once for each reason. */
  onTrouble: (why: string) => void
  signal: AbortSignal
}

const againMs = 30_000

/** Fetches the agent's commits into the repository of a linked folder, independent of the file sync. */
export class CommitFetcher {
  readonly #parts: CommitFetcherParts
  readonly #told = new Set<string>()
  #taking: Promise<void> | null = null
  #isNews = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: CommitFetcherParts) {
    this.#parts = parts
    parts.signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
  }

  /** Takes the next event of the log; never throws, and fetches in the background. */
  hear({ by, notification: { method, params } }: SeenEvent): void {
    if (eventName(method) !== 'git_commit' || by.kind !== 'runner' || params?.kind !== 'checkpoint') return
    this.#isNews = true
    this.#begin()
  }

  /** Resolves when no fetch is running. */
  async settled(): Promise<void> {
    await this.#taking
  }

  #begin(): void {
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null
    })
  }

  async #take(): Promise<void> {
    const { signal, on, onTrouble } = this.#parts
    clearTimeout(this.#timer)
    // Of several checkpoints only the newest counts.
    while (this.#isNews && !signal.aborted) {
      this.#isNews = false
      try {
        const news = (await this.#takeOnce()).filter(({ sha, was }) => sha !== was)
        if (news.length > 0) on(news)
      } catch (error) {
        if (signal.aborted) return
        const isFinal = error instanceof CommitsFailed && !error.isPassing
        const why = error instanceof Error ? error.message : String(error)
        if (isFinal && !this.#told.has(why)) onTrouble(why)
        this.#told.add(why)
        if (!isFinal) this.#again()
      }
    }
  }

  #again(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isNews = true
      this.#begin()
    }, againMs)
    // This retry keeps no process alive: the next checkpoint brings the same commits.
    this.#timer.unref()
  }

  async #takeOnce(): Promise<TakenRef[]> {
    const { folder, place, hub, at, env, signal } = this.#parts
    const repository = await UserRepository.around(folder, env, signal)
    // A repository around the linked folder is not the one that the run began from.
    if (repository?.folder !== folder) return []
    const log = await readLoggedCommits(hub, at, place, { signal })
    return (await takeCommits({ repository, place, log, hub, at, signal })).refs
  }
}
