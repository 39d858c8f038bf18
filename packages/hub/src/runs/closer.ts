import type { RunId } from '@farhand/protocol/ids'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import type { Audiences } from '../log/follow.ts'
import { closeDone, requestClose, runsToClose } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'

type Parts = {
  db: Kysely<Tables>
  log: EventLog
  audiences: Audiences
  graceMs: number
  onError: (e: unknown) => void
}

/**
 * Brings closing to its end (W22): waits for the runner's last checkpoint, which is over when it stops listening
 * or its time is up, then logs `session_close`. What is still to be closed is remembered across restarts.
 */
export class Closer {
  readonly #parts: Parts
  readonly #waiting = new Map<RunId, { timer: NodeJS.Timeout; requestedAt: string }>()
  #stopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Takes up what an earlier hub did not finish. */
  async start(): Promise<void> {
    for (const { run, requestedAt } of await runsToClose(this.#parts.db)) this.#wait(run, requestedAt)
  }

  /** Call once `_posthog/close` is in the log. */
  async closeSoon(run: RunId): Promise<void> {
    const requestedAt = await requestClose(this.#parts.db, run, new Date())
    const { view } = await this.#parts.log.head(run)
    if (view.generation > 0 && this.#parts.audiences.hasRunner(run, view.generation))
      this.#wait(run, requestedAt)
    else await this.#finish(run, requestedAt)
  }

  /** A runner stopped listening; if its run is closing there is nothing left to wait for. */
  runnerLeft(run: RunId): void {
    const waiting = this.#waiting.get(run)
    if (waiting) this.#finish(run, waiting.requestedAt).catch(this.#parts.onError)
  }

  stop(): void {
    this.#stopped = true
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #wait(run: RunId, requestedAt: string): void {
    if (this.#stopped) return
    const waiting = this.#waiting.get(run)
    if (waiting) {
      // Asked again: the time is still up when it was, and what is taken back in the end is the newer note.
      waiting.requestedAt = requestedAt
      return
    }
    const end = () => this.#finish(run, this.#waiting.get(run)?.requestedAt ?? requestedAt)
    const timer = setTimeout(() => end().catch(this.#parts.onError), this.#parts.graceMs)
    this.#waiting.set(run, { timer, requestedAt })
  }

  async #finish(run: RunId, requestedAt: string): Promise<void> {
    clearTimeout(this.#waiting.get(run)?.timer)
    this.#waiting.delete(run)
    if (this.#stopped) return
    await this.#parts.log.append(run, (head) => {
      // Opened again in the meantime, or closed by an earlier try.
      if (!head.view.closing) return { by: { kind: 'hub' }, notifications: [] }
      const params = { reason: 'closed by the user' }
      return {
        by: { kind: 'hub' },
        notifications: [{ jsonrpc: '2.0', method: '_posthog/session_close', params }],
      }
    })
    await closeDone(this.#parts.db, run, requestedAt)
  }
}
