import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** What is known of the user's runs. The same object until it changes. */
export type RunList = {
  /** Newest first, one page or more of those that match. */
  runs: readonly ListedRun[]
  /** The last query; `runs` still match the one before until the answer comes. */
  asked: RunListQuery
  /** Whether the hub has older ones. */
  hasMore: boolean
  /** Whether a request is running. */
  isLoading: boolean
  /** When the hub last answered, as epoch ms; null: the hub has not answered yet. */
  asOf: number | null
  /** Whether changes arrive by themselves. */
  isLive: boolean
  /** Why the list is not live, for the user; null: no problem. */
  trouble: string | null
}

export type RunListQuery = { find: string; archived: boolean }

/** Where the list of runs comes from: a hub, or made-up runs for the screens in `dev`. */
export type RunListSource = {
  now(): RunList
  /** Calls back after each change of `now()`, until the returned function is called. */
  subscribe(changed: () => void): () => void
  /** Changes the query; the shown runs stay until the first page of the answer. */
  ask(query: RunListQuery): void
  /** Loads the next page, if there is one and no request is running. */
  more(): void
  /** Loads the list again, at once. */
  refresh(): void
  /** Shown at once, and undone if the hub refuses: then it rejects. */
  rename(at: RunAddress, title: string): Promise<void>
  archive(at: RunAddress, isArchived: boolean): Promise<void>
}
