import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** What is known of a user's runs now. The same object until something of it changes. */
export type RunList = {
  /** Newest first, one page or more of those that were asked for. */
  runs: readonly ListedRun[]
  /** What was asked for last, from that moment on; `runs` are still the others until these are here. */
  asked: RunListQuery
  /** Whether the hub has older ones. */
  hasMore: boolean
  /** Whether something was asked for that has not come yet. */
  isLoading: boolean
  /** When the hub last said that this is how it is, as epoch ms; null: these are none of this hub's words yet. */
  asOf: number | null
  /** Whether changes come by themselves now. */
  isLive: boolean
  /** In words, what keeps the list from being fresh; null: nothing. */
  trouble: string | null
}

export type RunListQuery = { find: string; archived: boolean }

/** Where the list of runs comes from: a hub, or made-up ones on the page on which screens are looked at. */
export type RunListSource = {
  now(): RunList
  /** Calls back after each change of `now()`, until the function it returns is called. */
  subscribe(changed: () => void): () => void
  /** Asks for other runs; those shown stay until the first page of the others is here. */
  ask(query: RunListQuery): void
  /** The next page, if there is one and none is under way. */
  more(): void
  /** Asks anew, at once. */
  refresh(): void
  /** Shown at once, and taken back if the hub refuses: then it rejects. */
  rename(at: RunAddress, title: string): Promise<void>
  archive(at: RunAddress, isArchived: boolean): Promise<void>
}
