import { followRuns } from '@farhand/client/follow/follow-runs'
import type { Hub } from '@farhand/client/requests/hub'
import { findListedRun, listAllRuns } from '@farhand/client/resources/resources'
import { archiveRun, renameRun } from '@farhand/client/resources/run-preferences'
import { sleep } from '@farhand/kit/sleep'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import {
  type Connection,
  connectionInWords,
  connectionOf,
  connectionOfError,
} from '../connection/connection.ts'
import { type ConnectionBudget, unlimitedBudget } from '../connection/connection-budget.ts'
import type { Wake } from '../connection/wake.ts'
import type { ListCache } from '../storage/list-cache.ts'
import { KnownRuns } from './known-runs.ts'
import { matchesQuery, withListed, withPage } from './listed-runs.ts'
import type { RunList, RunListQuery, RunListSource } from './run-list-source.ts'
import { latestFirst } from './run-sections.ts'

export type LiveRunsOptions = {
  hub: Hub
  cache: ListCache
  wake: Wake
  budget?: ConnectionBudget
  frame: (draw: () => void) => void
}

type Paged = Awaited<ReturnType<typeof listAllRuns>>

const allRuns: RunListQuery = { find: '', archived: false }
const reconnectAfterAwayMs = 20_000
/** How often a page without a stream polls the list. */
const askEveryMs = 10_000
/** How many runs are cached for a page without a hub. */
const mostCached = 200

/**
 * The runs of a user, kept in step with the hub: first from the cache, then a page of the list, then every change.
 * It also tracks open runs that are not in the list.
 */
export class LiveRuns implements RunListSource {
  readonly #options: LiveRunsOptions
  readonly #listeners = new Set<() => void>()
  readonly #ended = new AbortController()
  readonly #known = new KnownRuns()
  readonly #watched = new Map<RunId, number>()
  #list: RunList = {
    runs: [],
    asked: allRuns,
    hasMore: false,
    isLoading: true,
    asOf: null,
    isLive: false,
    trouble: null,
  }
  #next: string | null = null
  /** How many of the shown runs came in pages; the others are shown because they changed or need the user. */
  #pagedCount = 0
  /** The query of the shown runs; null: the hub has not answered yet. */
  #shownQuery: RunListQuery | null = null
  /** The number of the last request: responses to earlier ones are ignored. */
  #requestNumber = 0
  #isDrawing = false
  #attempt = new AbortController()

  constructor(options: LiveRunsOptions) {
    this.#options = options
    void this.#keepLive()
  }

  now = (): RunList => this.#list

  subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  /** A run as it is or would be listed; null until known. The same object until it changes. */
  known(run: RunId): ListedRun | null {
    return this.#known.of(run)
  }

  /** Keeps `known` up to date for this run, listed or not, until the returned function is called. */
  watch(run: RunId): () => void {
    this.#watched.set(run, (this.#watched.get(run) ?? 0) + 1)
    if (!this.#list.isLive || !this.#isListed(run)) void this.#fetchRun(run)
    return () => {
      const left = (this.#watched.get(run) ?? 1) - 1
      if (left > 0) this.#watched.set(run, left)
      else this.#watched.delete(run)
    }
  }

  ask(query: RunListQuery): void {
    this.#change({ asked: query })
    void this.#load()
  }

  more(): void {
    if (this.#next !== null && !this.#list.isLoading) void this.#load(this.#next)
  }

  refresh(): void {
    void this.#load()
    if (!this.#list.isLive) this.#attempt.abort()
  }

  async rename(at: RunAddress, title: string): Promise<void> {
    await this.#showWhileAsking(at, { title }, () => renameRun(this.#options.hub, at.run, title))
  }

  async archive(at: RunAddress, isArchived: boolean): Promise<void> {
    await this.#showWhileAsking(at, { isArchived }, () => archiveRun(this.#options.hub, at.run, isArchived))
  }

  stop(): void {
    this.#ended.abort()
    this.#attempt.abort()
  }

  async #keepLive(): Promise<void> {
    const { hub, cache, wake } = this.#options
    const { signal } = this.#ended
    const endWake = wake.onWake((awayMs) => {
      if (awayMs > reconnectAfterAwayMs || !this.#list.isLive) this.#attempt.abort()
    })
    signal.addEventListener('abort', endWake)
    const endBudget = this.#budget.onChange(() => this.#budget.allows('list') || this.#attempt.abort())
    signal.addEventListener('abort', endBudget)
    const known = await cache.read()
    // The hub may have answered before the cache.
    if (known && this.#list.asOf === null) {
      const runs = known.runs.map((run) => this.known(run.id) ?? this.#known.takeAnswer(run, 0))
      this.#change({ runs, asOf: known.asOf })
    }
    while (!signal.aborted) {
      this.#attempt = new AbortController()
      if (!this.#budget.allows('list')) {
        await this.#askNowAndThen(this.#attempt.signal).catch(() => {})
        continue
      }
      try {
        const changes = followRuns(hub, {
          signal: this.#attempt.signal,
          onState: (state) => this.#setConnection(connectionOf(state)),
        })
        for await (const change of changes) {
          if (change.is === 'anew') void this.#load()
          else this.#takeChange(change.run)
        }
      } catch (error) {
        if (this.#attempt.signal.aborted) continue
        this.#change({ isLive: false, isLoading: false, trouble: inWords(error) })
        // Waiting does not help here; a wake event or `refresh` retries.
        await new Promise((resolve) =>
          this.#attempt.signal.addEventListener('abort', resolve, { once: true }),
        )
      }
    }
  }

  get #budget(): ConnectionBudget {
    return this.#options.budget ?? unlimitedBudget
  }

  /** Other pages have the stream; a visible page polls the list instead. */
  async #askNowAndThen(signal: AbortSignal): Promise<void> {
    const budget = this.#budget
    this.#change({ isLive: false })
    while (!budget.allows('list')) {
      const isSeen = budget.allows('run')
      if (isSeen) await this.#load()
      if (isSeen && this.#list.trouble === null) this.#change({ trouble: 'Many windows are open' })
      const pauseMs = isSeen ? askEveryMs : Number.POSITIVE_INFINITY
      await sleep(pauseMs, { signal, wake: (listener) => budget.onChange(listener) })
    }
  }

  #setConnection(connection: Connection): void {
    const isTrouble = connection.is === 'retrying' || connection.is === 'offline'
    const trouble = isTrouble ? connectionInWords(connection, Number.POSITIVE_INFINITY) : null
    this.#change({ isLive: connection.is === 'live', trouble, ...(isTrouble && { isLoading: false }) })
  }

  /** Loads as many runs as are shown and replaces them; or appends the page after a cursor. */
  async #load(after?: string): Promise<void> {
    const asking = ++this.#requestNumber
    const { asked } = this.#list
    const since = this.#known.now
    const isSame = this.#shownQuery === asked
    const wanted = isSame && after === undefined ? this.#pagedCount : 0
    const pages: ListedRun[] = []
    let waiting: readonly ListedRun[] = []
    let next = after ?? null
    this.#change({ isLoading: true })
    try {
      do {
        const page = await this.#page(asked, next)
        if (asking !== this.#requestNumber) return
        pages.push(...page.items.map((run) => this.#known.takeAnswer(run, since)))
        next = page.next
      } while (next !== null && pages.length < wanted)
      if (after === undefined && next !== null) {
        // Show the first page now: looking for runs that need the user may take the hub a while. Keep the known
        // ones meanwhile, or they would vanish for a moment.
        const known = this.#list.runs.filter((run) => needsUser(run) && matchesQuery(run, asked))
        const runs = this.#merged(pages, known, since)
        if (!isSame) this.#change({ runs, hasMore: true, asOf: Date.now(), trouble: null })
        waiting = await this.#waiting(asked)
      }
      if (asking !== this.#requestNumber) return
    } catch (error) {
      if (asking !== this.#requestNumber || this.#ended.signal.aborted) return
      return this.#change({ isLoading: false, trouble: inWords(error) })
    }
    const before = this.#list.runs
    const found = [...pages, ...waiting.map((run) => this.#known.takeAnswer(run, since))]
    this.#next = next
    this.#pagedCount = (after === undefined ? 0 : this.#pagedCount) + pages.length
    this.#shownQuery = asked
    const runs = this.#merged(found, after === undefined ? [] : before, since)
    const asOf = Date.now()
    this.#change({ runs, hasMore: next !== null, isLoading: false, asOf, trouble: null })
    if (after === undefined) this.#fetchUnlisted(isSame ? before : [])
    if (asked.find.trim() !== '' || asked.archived) return
    const latest = runs.toSorted(latestFirst)
    const toKeep = latest.filter((run, at) => at < mostCached || needsUser(run))
    void this.#options.cache.write(toKeep, asOf)
  }

  /** These runs with the hub's answer, and with the changes that came meanwhile. */
  #merged(found: readonly ListedRun[], runs: readonly ListedRun[], since: number): readonly ListedRun[] {
    const { asked } = this.#list
    const changed = this.#known.changedSince(since)
    return changed.reduce((sum, run) => withListed(sum, run, asked), withPage(runs, found, asked))
  }

  #page({ find, archived }: RunListQuery, cursor: string | null, only: { waiting?: true } = {}) {
    const { signal } = this.#ended
    const from = cursor === null ? {} : { cursor }
    // In the order of the list: in another order, an active run could be on a page that is not loaded.
    const asked = { find: find.trim(), archived, order: 'active', ...only, ...from } as const
    return listAllRuns(this.#options.hub, { ...asked, signal })
  }

  /** All runs that need the user: otherwise such a run could be hidden on the tenth page. */
  async #waiting(asked: RunListQuery): Promise<readonly ListedRun[]> {
    const found: ListedRun[] = []
    for (let cursor: string | null = null; ; ) {
      const page: Paged = await this.#page(asked, cursor, { waiting: true })
      found.push(...page.items.filter(needsUser))
      cursor = page.next
      // An older hub ignores the filter and lists all runs.
      if (cursor === null || !page.items.every(needsUser)) return found
    }
  }

  /** Asks for runs that no page listed and that are shown anyway, because changes of them may have been missed. */
  #fetchUnlisted(before: readonly ListedRun[]): void {
    const shown = this.#next === null ? [] : before.map(({ id }) => id)
    for (const run of new Set([...shown, ...this.#watched.keys()]))
      if (!this.#isListed(run)) void this.#fetchRun(run)
  }

  async #fetchRun(run: RunId): Promise<void> {
    const since = this.#known.now
    try {
      const found = await findListedRun(this.#options.hub, run, { signal: this.#ended.signal })
      this.#known.takeAnswer(found, since)
      this.#insert(run)
    } catch {
      // The follower of the run shows the error; the next reconnect asks again.
    }
  }

  #takeChange(run: ListedRun): void {
    this.#known.takeChange(run)
    this.#insert(run.id)
    this.#change({ asOf: Date.now() })
  }

  #isListed(run: RunId): boolean {
    return this.#list.runs.some(({ id }) => id === run)
  }

  /** Puts a known run into the list, where it belongs. */
  #insert(id: RunId): void {
    const run = this.known(id)
    if (run) this.#change({ runs: withListed(this.#list.runs, run, this.#list.asked) })
  }

  /** Shows a change before the hub has it, and undoes it if the hub refuses. */
  async #showWhileAsking(
    { run }: RunAddress,
    change: Partial<ListedRun>,
    ask: () => Promise<void>,
  ): Promise<void> {
    this.#known.addPending(run, change)
    this.#insert(run)
    let isDone = false
    try {
      await ask()
      isDone = true
    } finally {
      this.#known.endPending(run, change, isDone)
      this.#insert(run)
    }
  }

  #change(change: Partial<RunList>): void {
    this.#list = { ...this.#list, ...change }
    if (this.#isDrawing) return
    this.#isDrawing = true
    this.#options.frame(() => {
      this.#isDrawing = false
      for (const changed of [...this.#listeners]) changed()
    })
  }
}

const needsUser = ({ now }: ListedRun) => now?.agentStatus === 'waiting'

const inWords = (error: unknown) => connectionInWords(connectionOfError(error), Date.now())
