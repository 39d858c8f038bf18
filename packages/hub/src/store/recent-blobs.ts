import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import { insertBlobs } from './insert-blobs.ts'
import { unhurried } from './sqlite-dialect.ts'
import { Statements } from './statements.ts'
import type { Tables } from './tables.ts'

/** A packed blob that a project has. */
export type RecentBlob = {
  project: ProjectId
  hash: BlobHash
  size: number
  place: { segment: number; start: number }
  usedAt: number
}

// A sweep takes nothing that was used within the hour: half of that is sure, however long an append takes.
const trustedMs = 30 * 60 * 1000
const mostInGeneration = 20_000
const mostWaiting = 10_000
const waitMs = 250
const againMs = 2000

/**
 * The packed blobs that came last, by their names: those whose rows are still to be written, and many of those whose
 * rows were. Everyone in this process who takes rows away or changes their places says so here.
 */
export class RecentBlobs {
  readonly statements = new Statements()
  /** Told when rows could not be written; they are tried again. */
  onTrouble: (error: unknown) => void = () => {}
  readonly #db: Kysely<Tables>
  /** Those whose rows are still to be written. */
  readonly #waiting = new Map<BlobHash, RecentBlob>()
  #young = new Map<BlobHash, RecentBlob>()
  #old = new Map<BlobHash, RecentBlob>()
  #upTo: { segment: number; start: number } | null = null
  #settling: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** The blob if it is sure that the project has it, and that no sweep will take it for a good while. */
  get(project: ProjectId, hash: BlobHash, now: number): RecentBlob | undefined {
    const blob = this.find(hash)
    return blob?.project === project && now - blob.usedAt < trustedMs ? blob : undefined
  }

  /** The blob, whoever has it. */
  find(hash: BlobHash): RecentBlob | undefined {
    return this.#waiting.get(hash) ?? this.#young.get(hash) ?? this.#old.get(hash)
  }

  /**
   * Takes a blob whose segment says who has it, in the order in which they lie there; its row follows. False if there may
   * be another row of it, which has to be seen to at once.
   */
  take(blob: RecentBlob): boolean {
    const { segment, start } = blob.place
    this.#upTo = { segment, start: start + blob.size }
    const known = this.find(blob.hash)
    // Two brought it at once: the place that was noted first is the one that counts.
    if (known) return known.project === blob.project && blob.usedAt - known.usedAt < trustedMs
    this.#waiting.set(blob.hash, blob)
    return true
  }

  /** Sees to it that what was taken is written soon; waits only if there is too much of it. */
  async writeSoon(): Promise<void> {
    if (this.#waiting.size > mostWaiting) return this.settle()
    if (this.#waiting.size > 0) this.#later(waitMs)
  }

  /** Forgets what it knows of a blob: whoever asks next has to ask the table. Only for those whose rows are written. */
  drop(hash: BlobHash): void {
    this.#young.delete(hash)
    this.#old.delete(hash)
  }

  /** Resolves once there is a row for everything that was taken before. */
  async settle(): Promise<void> {
    // That one may have begun too early.
    await this.#settling?.catch(() => {})
    if (this.#waiting.size === 0) return
    this.#settling ??= this.#flush().finally(() => {
      this.#settling = null
    })
    await this.#settling
  }

  /** Writes what there is to write, if that is possible, and nothing any more. */
  async stop(): Promise<void> {
    await this.settle().catch(() => {})
    this.#stopped = true
    clearTimeout(this.#timer ?? undefined)
  }

  #later(ms: number): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      // Nothing is lost by trying again: the segments have it. Those who have to know hear of it from `settle`.
      this.settle().catch((error) => {
        this.onTrouble(error)
        this.#later(againMs)
      })
    }, ms).unref()
  }

  async #flush(): Promise<void> {
    const blobs = [...this.#waiting.values()]
    const upTo = this.#upTo!
    // It need not last by itself: what the power takes from here, the next start finds in the segments.
    await unhurried(this.#db, async (trx) => {
      await insertBlobs(trx, this.statements, blobs)
      await this.statements.run(trx, 'settled', [1, upTo.segment, upTo.start], () => settled(trx, upTo))
    })
    for (const blob of blobs) {
      this.#waiting.delete(blob.hash)
      this.#keep(blob)
    }
  }

  #keep(blob: RecentBlob): void {
    if (this.#young.size >= mostInGeneration) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(blob.hash, blob)
  }
}

const known = new WeakMap<Kysely<Tables>, RecentBlobs>()

/** What is known of the blobs in these tables. Not for use within a transaction. */
export function recentBlobs(db: Kysely<Tables>): RecentBlobs {
  const recent = known.get(db) ?? new RecentBlobs(db)
  known.set(db, recent)
  return recent
}

/** Says up to where there is a row for everything that lies in the segments. */
export const settled = (db: Kysely<Tables>, upTo: { segment: number; start: number }) =>
  db
    .insertInto('settled_packs')
    .values({ id: 1, ...upTo })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        segment: ref('excluded.segment'),
        start: ref('excluded.start'),
      })),
    )
