import type { RunNotification, RunNotificationKind } from '@farhand/protocol/schemas/push'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Notified } from '@farhand/story/notifications/news-between'
import { userToNotify } from '../access/project-members.ts'
import type { EventLog } from '../log/event-log.ts'
import { listedRuns } from '../store/listing/listed-runs.ts'
import { noteNotified, notifiedOf } from '../store/notified.ts'
import { runsToKeep } from '../store/sandboxes.ts'
import type { Db } from '../store/tables.ts'
import type { RunViewers } from './run-viewers.ts'
import { nothingNotified, worthNotifying } from './worth-notifying.ts'

export type NotifierParts = {
  db: Db
  log: EventLog
  viewers: RunViewers
  tell: (user: UserId, telling: RunNotification) => Promise<void>
  onError: (error: unknown) => void
}

const gatherMs = 250
/** After a start, clients that view a run reconnect and report it within this time. */
const returnMs = 3000

/** A notification held back because the user views the run: since when, and what counts as notified once they have seen it. */
type Held = {
  user: UserId
  kind: RunNotificationKind
  notified: Notified
  since: number
  timer: NodeJS.Timeout
}

const mostRemembered = 10_000

/** Checks each run whose log has grown, and notifies the user who started it when that is worth it. */
export class Notifier {
  readonly #parts: NotifierParts
  readonly #grown = new Set<RunId>()
  readonly #notified = new Map<RunId, Notified>()
  readonly #held = new Map<RunId, Held>()
  readonly #unsubscribe: () => void
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()

  constructor(parts: NotifierParts) {
    this.#parts = parts
    this.#unsubscribe = parts.log.onAnyGrowth((run) => {
      this.#grown.add(run)
      this.#lookAfter(gatherMs)
    })
    parts.viewers.onReport((run, { user, isLooking }) => this.#heard(run, user, isLooking))
  }

  /**
   * Checks every run that may be open: notifications that an earlier hub could not send before it was killed are sent now, unless
   * they are old. It waits first, so that clients which view a run can report that.
   */
  async start(): Promise<void> {
    const runs = await runsToKeep(this.#parts.db)
    for (const run of runs) this.#grown.add(run)
    if (runs.length > 0) this.#lookAfter(returnMs)
  }

  /** Stops; resolves when the current check has been recorded. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    if (this.#timer) clearTimeout(this.#timer)
    for (const { timer } of this.#held.values()) clearTimeout(timer)
    await this.#looking
  }

  #lookAfter(ms: number): void {
    this.#timer ??= setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    this.#timer = null
    const runs = [...this.#grown]
    this.#grown.clear()
    const { onError } = this.#parts
    // One after the other: two checks of a run at once would send a notification twice.
    this.#looking = this.#looking.then(async () => {
      for (const run of runs) await this.#checkRun(run).catch(onError)
    })
  }

  async #checkRun(run: RunId): Promise<void> {
    const { db, log, viewers, tell, onError } = this.#parts
    const { view, lastId } = await log.head(run)
    const notified = this.#notified.get(run) ?? (await notifiedOf(db, run)) ?? nothingNotified
    // Judged as of when the user began to view the run, so that it is still news when they leave.
    const { kind, notified: next } = worthNotifying(notified, view, this.#held.get(run)?.since ?? Date.now())
    const user = kind === null ? null : await userToNotify(db, run)
    const lookedAtMs = user === null ? null : viewers.forMs(run, user, performance.now())
    if (kind !== null && user !== null && lookedAtMs !== null)
      return this.#hold(run, { user, kind, notified: next }, lookedAtMs)
    this.#release(run)
    this.#remember(run, next)
    if (next === notified) return
    // Recorded before sending: after a crash a lost notification is better than a second one.
    await noteNotified(db, run, next)
    if (kind === null || user === null) return
    const [listed] = await listedRuns(db, [run], user)
    if (!listed || listed.isMuted) return
    const { title, projectName } = listed
    const eventId = kind === 'needs-you' ? next.question : lastId
    void tell(user, { kind, run, title, projectName, eventId }).catch(onError)
  }

  /** Holds a notification back while the user views the run. If no further report comes, the run is checked again. */
  #hold(run: RunId, held: Pick<Held, 'user' | 'kind' | 'notified'>, forMs: number): void {
    const since = this.#release(run)?.since ?? Date.now()
    const look = () => {
      this.#grown.add(run)
      this.#lookAfter(0)
    }
    this.#held.set(run, { ...held, since, timer: setTimeout(look, forMs + 1).unref() })
  }

  #release(run: RunId): Held | undefined {
    const held = this.#held.get(run)
    clearTimeout(held?.timer)
    this.#held.delete(run)
    return held
  }

  /**
   * A client reports again: its user has seen what was held back. For a question this counts only when they leave, as a user who
   * does not answer may not be there.
   */
  #heard(run: RunId, user: UserId, isLooking: boolean): void {
    if (this.#held.get(run)?.user !== user || (isLooking && this.#held.get(run)?.kind === 'needs-you')) return
    this.#looking = this.#looking.then(async () => {
      const held = this.#release(run)
      if (!held) return
      this.#remember(run, held.notified)
      await noteNotified(this.#parts.db, run, held.notified).catch(this.#parts.onError)
    })
  }

  #remember(run: RunId, notified: Notified): void {
    if (this.#notified.size >= mostRemembered) this.#notified.clear()
    this.#notified.set(run, notified)
  }
}
