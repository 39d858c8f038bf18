import { archiveRun, renameRun } from '@farhand/client/desk'
import { followRuns } from '@farhand/client/follow-runs'
import type { Hub } from '@farhand/client/hub'
import { listAllRuns } from '@farhand/client/resources'
import type { ListedRun } from '@farhand/protocol/api'
import type { RunAddress } from '@farhand/protocol/routes'
import type { RunList, RunListQuery, RunListSource } from '../runs/run-list-source.ts'
import { type Connection, connectionInWords, connectionOf } from './connection.ts'
import type { ListCache } from './list-cache.ts'
import { isAskedFor, withListed } from './listed-runs.ts'
import type { Wake } from './wake.ts'

export type LiveRunsOptions = {
  hub: Hub
  cache: ListCache
  wake: Wake
  frame: (draw: () => void) => void
}

const everything: RunListQuery = { find: '', archived: false }
const doubtAfterMs = 20_000

/** The runs of a user, kept as the hub lists them: what it remembers first, then a page, then every change. */
export class LiveRuns implements RunListSource {
  readonly #options: LiveRunsOptions
  readonly #listeners = new Set<() => void>()
  readonly #ended = new AbortController()
  #list: RunList = {
    runs: [],
    asked: everything,
    hasMore: false,
    isLoading: true,
    asOf: null,
    isLive: false,
    trouble: null,
  }
  #next: string | null = null
  /** What was asked for last: an answer to anything before it is passed over. */
  #asking = 0
  #isDrawing = false
  #attempt = new AbortController()

  constructor(options: LiveRunsOptions) {
    this.#options = options
    void this.#keep()
  }

  now = (): RunList => this.#list

  subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
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
    await this.#meanwhile(at, { title }, () => renameRun(this.#options.hub, at.run, title))
  }

  async archive(at: RunAddress, isArchived: boolean): Promise<void> {
    await this.#meanwhile(at, { isArchived }, () => archiveRun(this.#options.hub, at.run, isArchived))
  }

  stop(): void {
    this.#ended.abort()
    this.#attempt.abort()
  }

  async #keep(): Promise<void> {
    const { hub, cache, wake } = this.#options
    const { signal } = this.#ended
    const endWake = wake.onWake((awayMs) => {
      if (awayMs > doubtAfterMs || !this.#list.isLive) this.#attempt.abort()
    })
    signal.addEventListener('abort', endWake)
    const known = await cache.read()
    // The hub may have been quicker.
    if (known && this.#list.asOf === null) this.#change({ runs: known.runs, asOf: known.asOf })
    while (!signal.aborted) {
      this.#attempt = new AbortController()
      try {
        const changes = followRuns(hub, {
          signal: this.#attempt.signal,
          onState: (state) => this.#connect(connectionOf(state)),
        })
        for await (const change of changes) {
          if (change.is === 'anew') void this.#load()
          else this.#put(change.run)
        }
      } catch (error) {
        if (this.#attempt.signal.aborted) continue
        this.#change({ isLive: false, isLoading: false, trouble: messageOf(error) })
        // Waiting changes nothing; somebody who comes back, or asks anew, does.
        await new Promise((resolve) =>
          this.#attempt.signal.addEventListener('abort', resolve, { once: true }),
        )
      }
    }
  }

  #connect(connection: Connection): void {
    const isTrouble = connection.is === 'retrying' || connection.is === 'offline'
    const trouble = isTrouble ? connectionInWords(connection, Number.POSITIVE_INFINITY) : null
    this.#change({ isLive: connection.is === 'live', trouble, ...(isTrouble && { isLoading: false }) })
  }

  /** The first page of what is asked for, in place of what is shown; or the page after a cursor, behind it. */
  async #load(cursor?: string): Promise<void> {
    const asking = ++this.#asking
    const { asked } = this.#list
    this.#change({ isLoading: true })
    try {
      const page = await listAllRuns(this.#options.hub, {
        find: asked.find.trim(),
        archived: asked.archived,
        ...(cursor !== undefined && { cursor }),
        signal: this.#ended.signal,
      })
      if (asking !== this.#asking) return
      const shown = cursor === undefined ? [] : this.#list.runs
      const known = new Set(shown.map(({ id }) => id))
      const runs = [...shown, ...page.items.filter(({ id }) => !known.has(id))]
      this.#next = page.next
      const asOf = Date.now()
      this.#change({ runs, hasMore: page.next !== null, isLoading: false, asOf, trouble: null })
      if (cursor === undefined && asked.find.trim() === '' && !asked.archived)
        void this.#options.cache.write(runs, asOf)
    } catch (error) {
      if (asking !== this.#asking || this.#ended.signal.aborted) return
      this.#change({ isLoading: false, trouble: messageOf(error) })
    }
  }

  #put(run: ListedRun): void {
    const { runs, asked, hasMore } = this.#list
    const next = withListed(runs, run, asked, hasMore)
    this.#change({ ...(next !== runs && { runs: next }), asOf: Date.now() })
  }

  /** Shows a change before the hub has it, and takes it back if the hub refuses. */
  async #meanwhile(at: RunAddress, change: Partial<ListedRun>, ask: () => Promise<void>): Promise<void> {
    const before = this.#list.runs.find(({ id }) => id === at.run)
    if (before) this.#put({ ...before, ...change })
    try {
      await ask()
    } catch (error) {
      if (before && isAskedFor(before, this.#list.asked)) this.#put(before)
      throw error
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

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
