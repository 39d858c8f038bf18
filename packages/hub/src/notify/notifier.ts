import type { RunNotification, RunNotificationKind } from '@farhand/protocol/schemas/push'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import { noteNotified, notifiedOf } from '../store/notified.ts'
import { listedRuns } from '../store/runs.ts'
import { runsToKeep } from '../store/sandboxes.ts'
import type { Tables } from '../store/tables.ts'
import type { RunViewers } from './run-viewers.ts'
import { nothingNotified, type Told, worthNotifying } from './worth-notifying.ts'

export type NotifierParts = {
  db: Kysely<Tables>
  log: EventLog
  viewers: RunViewers
  tell: (user: UserId, telling: RunNotification) => Promise<void>
  onError: (error: unknown) => void
}

const gatherMs = 250
/** Within this time after a start whoever looks at a run has come back and said so. */
const returnMs = 3000

/** What is not told because somebody looks, since when, and what counts as told once they have seen it. */
type Held = { kind: RunNotificationKind; told: Told; since: number; timer: NodeJS.Timeout }

const mostRemembered = 10_000

/** Looks at each run whose log has grown, and has its owner told what is worth it. */
export class Notifier {
  readonly #parts: NotifierParts
  readonly #grown = new Set<RunId>()
  readonly #told = new Map<RunId, Told>()
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
    parts.viewers.heard = (run, isLooking) => this.#heard(run, isLooking)
  }

  /**
   * Looks at every run that may be open: what the hub before was about to tell when it died is told now, unless it is no
   * news any more. Nothing is told of any run until those who look had the time to say so.
   */
  async start(): Promise<void> {
    const runs = await runsToKeep(this.#parts.db)
    for (const run of runs) this.#grown.add(run)
    if (runs.length > 0) this.#lookAfter(returnMs)
  }

  /** Looks no more; resolves when what it was about to note is noted. */
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
    // One after the other: two looks at a run at once would tell of it twice.
    this.#looking = this.#looking.then(async () => {
      for (const run of runs) await this.#mind(run).catch(onError)
    })
  }

  async #mind(run: RunId): Promise<void> {
    const { db, log, viewers, tell, onError } = this.#parts
    const { view, lastId } = await log.head(run)
    const told = this.#told.get(run) ?? (await notifiedOf(db, run)) ?? nothingNotified
    // What was news when somebody began to look at it is so when they have gone, however long they sat there.
    const { kind, told: next } = worthNotifying(told, view, this.#held.get(run)?.since ?? Date.now())
    const lookedAtMs = kind === null ? null : viewers.forMs(run, performance.now())
    if (kind !== null && lookedAtMs !== null) return this.#hold(run, { kind, told: next }, lookedAtMs)
    this.#letGo(run)
    this.#remember(run, next)
    if (next === told) return
    // Before anybody is told: after a crash nothing is better than the same again.
    await noteNotified(db, run, next)
    if (kind === null) return
    const [listed] = await listedRuns(db, [run])
    if (!listed || listed.isMuted) return
    const { title, projectName, owner } = listed
    const eventId = kind === 'needs-you' ? next.question : lastId
    void tell(owner, { kind, run, title, projectName, eventId }).catch(onError)
  }

  /** Whoever looks has it before their eyes; if nothing more is heard of them they may have gone without a word. */
  #hold(run: RunId, held: Pick<Held, 'kind' | 'told'>, forMs: number): void {
    const since = this.#letGo(run)?.since ?? Date.now()
    const look = () => {
      this.#grown.add(run)
      this.#lookAfter(0)
    }
    this.#held.set(run, { ...held, since, timer: setTimeout(look, forMs + 1).unref() })
  }

  #letGo(run: RunId): Held | undefined {
    const held = this.#held.get(run)
    clearTimeout(held?.timer)
    this.#held.delete(run)
    return held
  }

  /**
   * Somebody who looked is heard of again: they have seen what was held back. Of a question that is sure only when they
   * leave; whoever sits there and does not answer may not be there.
   */
  #heard(run: RunId, isLooking: boolean): void {
    if (!this.#held.has(run) || (isLooking && this.#held.get(run)?.kind === 'needs-you')) return
    this.#looking = this.#looking.then(async () => {
      const held = this.#letGo(run)
      if (!held) return
      this.#remember(run, held.told)
      await noteNotified(this.#parts.db, run, held.told).catch(this.#parts.onError)
    })
  }

  #remember(run: RunId, told: Told): void {
    if (this.#told.size >= mostRemembered) this.#told.clear()
    this.#told.set(run, told)
  }
}
