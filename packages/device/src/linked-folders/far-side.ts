import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

const signOfLifeMs = 15_000

type FarSideReports = {
  /** Resolves when all changes in the folder up to now are in the run. */
  sent: () => Promise<void>
  /** Tells the hub that this folder has no more changes. */
  done: () => Promise<void>
  /** Tells the hub that this folder is alive: an open connection does not prove it (W23). */
  alive: () => Promise<unknown>
}

/** A folder that takes the runner's place. When the run is being closed, it reports that it is done once all its changes are in the run. */
export class FarSide {
  readonly #reports: FarSideReports
  readonly #over: AbortSignal
  #isInStep = false
  #isClosing = false
  #isReported = false
  /** How often the run was reopened. */
  #openings = 0

  constructor(reports: FarSideReports, over: AbortSignal) {
    this.#reports = reports
    this.#over = over
    // If one does not arrive, the next one may.
    const signs = setInterval(() => void reports.alive().catch(() => {}), signOfLifeMs)
    over.addEventListener('abort', () => clearInterval(signs), { once: true })
  }

  note(note: SyncNote): void {
    if (note.is === 'in-step') this.#isInStep = true
    if (note.is === 'progress' && note.toSend + note.toApply > 0) this.#isInStep = false
    if (this.#isClosing) this.#reportDone()
  }

  async onEvent({ notification }: SeenEvent): Promise<void> {
    if (isEvent(notification, 'status') && notification.params?.status === 'queued') this.#opened()
    if (!isEvent(notification, 'close')) return
    const openings = this.#openings
    try {
      await this.#reports.sent()
    } catch {
      // The sync has ended first.
      return
    }
    // This close may be an old one: a reader that starts later reads every close of the log.
    if (openings !== this.#openings || this.#over.aborted) return
    this.#isClosing = true
    this.#reportDone()
  }

  #opened(): void {
    this.#openings += 1
    this.#isClosing = false
    this.#isReported = false
  }

  #reportDone(): void {
    if (!this.#isInStep || this.#isReported) return
    this.#isReported = true
    // If this request is lost, the hub waits as long as without it.
    this.#reports.done().catch(() => {})
  }
}
