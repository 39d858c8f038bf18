import type { RunId, UserId } from '@farhand/protocol/ids'
import type { Telling } from '@farhand/protocol/push'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import { listedRuns } from '../store/runs.ts'
import { runsToKeep } from '../store/sandboxes.ts'
import type { Tables } from '../store/tables.ts'
import { noteTold, toldOf } from '../store/told.ts'
import type { Onlookers } from './onlookers.ts'
import { nothingTold, type Told, worthTelling } from './worth-telling.ts'

export type TellerParts = {
  db: Kysely<Tables>
  log: EventLog
  onlookers: Onlookers
  tell: (user: UserId, telling: Telling) => Promise<void>
  onError: (error: unknown) => void
}

const gatherMs = 250
/** Within this time after a start whoever looks at a run has come back and said so. */
const returnMs = 3000

const mostRemembered = 10_000

/** Looks at each run whose log has grown, and has its owner told what is worth it. */
export class Teller {
  readonly #parts: TellerParts
  readonly #grown = new Set<RunId>()
  readonly #told = new Map<RunId, Told>()
  readonly #unsubscribe: () => void
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()

  constructor(parts: TellerParts) {
    this.#parts = parts
    this.#unsubscribe = parts.log.onAnyGrowth((run) => {
      this.#grown.add(run)
      this.#lookAfter(gatherMs)
    })
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
    const { db, log, onlookers, tell, onError } = this.#parts
    const { view, lastId } = await log.head(run)
    const told = this.#told.get(run) ?? (await toldOf(db, run)) ?? nothingTold
    const around = { isLooking: onlookers.isLooking(run, performance.now()), now: Date.now() }
    const { kind, told: next } = worthTelling(told, view, around)
    this.#remember(run, next)
    if (next === told) return
    // Before anybody is told: after a crash nothing is better than the same again.
    await noteTold(db, run, next)
    if (kind === null) return
    const [listed] = await listedRuns(db, [run])
    if (!listed || listed.isMuted) return
    const { title, projectName, owner } = listed
    const eventId = kind === 'needs-you' ? next.question : lastId
    void tell(owner, { kind, run, title, projectName, eventId }).catch(onError)
  }

  #remember(run: RunId, told: Told): void {
    if (this.#told.size >= mostRemembered) this.#told.clear()
    this.#told.set(run, told)
  }
}
