import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { noteActive, runsToLookAt } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'

type Parts = { db: Db; log: EventLog; onError: (error: unknown) => void }

/** Events come many a second, and only lists need the order: it is written when a list is read, and at this interval. */
const noteEveryMs = 10_000

/** Keeps the time of each run's last activity in the store, so that lists can be sorted by it. */
export class ActivityNotes {
  readonly #parts: Parts
  readonly #grown = new Set<RunId>()
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | null = null
  #noting: Promise<void> = Promise.resolve()
  #isOver = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#stopListening = parts.log.onAnyGrowth((run) => this.#grow(run))
  }

  /** Updates runs whose last activity an earlier, killed hub had not written. */
  async lookBack(): Promise<void> {
    for (const run of await runsToLookAt(this.#parts.db)) {
      if (this.#isOver) return
      await this.#note(run)
    }
  }

  /** Resolves when the store has all activity up to now. */
  noted(): Promise<void> {
    this.#noting = this.#noting.then(async () => {
      const runs = [...this.#grown]
      this.#grown.clear()
      for (const run of runs) await this.#note(run)
    })
    return this.#noting
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#stopListening()
    if (this.#timer) clearTimeout(this.#timer)
    await this.noted()
  }

  #grow(run: RunId): void {
    this.#grown.add(run)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.noted()
    }, noteEveryMs).unref()
  }

  async #note(run: RunId): Promise<void> {
    try {
      const { view } = await this.#parts.log.head(run)
      await noteActive(this.#parts.db, run, view.lastActivityAt)
    } catch (error) {
      // After a read error or on a full disk the run only keeps its place in the list.
      this.#parts.onError(error)
    }
  }
}
