import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { insertBlobs } from './insert-blobs.ts'
import { unhurried } from './sqlite-dialect.ts'
import { Statements } from './statements.ts'
import type { Db } from './tables.ts'

/** A packed blob that a project has. */
export type RecentBlob = {
  project: ProjectId
  hash: BlobHash
  size: number
  place: { segment: number; start: number }
  usedAt: number
}

// A sweep removes nothing used within the last hour. Trusting half of that leaves enough time for any append.
const trustedMs = 30 * 60 * 1000
const mostInGeneration = 20_000
const mostWaiting = 10_000
const waitMs = 250
const againMs = 2000

/**
 * A cache of the newest packed blobs: those whose rows are not written yet, and many whose rows are. Code that deletes rows or
 * changes their places must call `drop` here.
 */
export class RecentBlobs {
  readonly statements = new Statements()
  /** Called when rows could not be written; the write is retried. */
  onTrouble: (error: unknown) => void = () => {}
  readonly #db: Db
  /** Blobs whose rows are not written yet. */
  readonly #waiting = new Map<BlobHash, RecentBlob>()
  #young = new Map<BlobHash, RecentBlob>()
  #old = new Map<BlobHash, RecentBlob>()
  #upTo: { segment: number; start: number } | null = null
  #settling: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(db: Db) {
    this.#db = db
  }

  /** The blob, if the project surely has it and no sweep will remove it soon. */
  get(project: ProjectId, hash: BlobHash, now: number): RecentBlob | undefined {
    const blob = this.find(hash)
    return blob?.project === project && now - blob.usedAt < trustedMs ? blob : undefined
  }

  /** The blob, of any project. */
  find(hash: BlobHash): RecentBlob | undefined {
    return this.#waiting.get(hash) ?? this.#young.get(hash) ?? this.#old.get(hash)
  }

  /**
   * Takes a blob whose segment says which project has it; its row is written later. Must be called in the order of the segment. False
   * if another row may exist for it; then the caller must write the row at once.
   */
  take(blob: RecentBlob): boolean {
    const { segment, start } = blob.place
    this.#upTo = { segment, start: start + blob.size }
    const known = this.find(blob.hash)
    // Two uploads at once: the place that was recorded first counts.
    if (known) return known.project === blob.project && blob.usedAt - known.usedAt < trustedMs
    this.#waiting.set(blob.hash, blob)
    return true
  }

  /** Schedules the writing of the taken blobs; waits only if there are too many. */
  async writeSoon(): Promise<void> {
    if (this.#waiting.size > mostWaiting) return this.settle()
    if (this.#waiting.size > 0) this.#later(waitMs)
  }

  /** Removes a blob from the cache, so that the next lookup reads the table. Only for blobs whose rows are written. */
  drop(hash: BlobHash): void {
    this.#young.delete(hash)
    this.#old.delete(hash)
  }

  /** Resolves once there is a row for every blob that was taken before. */
  async settle(): Promise<void> {
    // A flush in progress may have begun before the last blob was taken.
    await this.#settling?.catch(() => {})
    if (this.#waiting.size === 0) return
    this.#settling ??= this.#flush().finally(() => {
      this.#settling = null
    })
    await this.#settling
  }

  /** Writes the remaining rows, if possible, and stops writing. */
  async stop(): Promise<void> {
    await this.settle().catch(() => {})
    this.#stopped = true
    clearTimeout(this.#timer ?? undefined)
  }

  #later(ms: number): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      // Nothing is lost: the segments have the blobs. Callers that depend on the rows get the error from `settle`.
      this.settle().catch((error) => {
        this.onTrouble(error)
        this.#later(againMs)
      })
    }, ms).unref()
  }

  async #flush(): Promise<void> {
    const blobs = [...this.#waiting.values()]
    const upTo = this.#upTo!
    // Need not be durable by itself: after a power loss, the next start finds the blobs in the segments.
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

const known = new WeakMap<Db, RecentBlobs>()

/** The cache for these tables. Must not be used within a transaction. */
export function recentBlobs(db: Db): RecentBlobs {
  const recent = known.get(db) ?? new RecentBlobs(db)
  known.set(db, recent)
  return recent
}

/** Records up to which place every blob in the segments has a row. */
export const settled = (db: Db, upTo: { segment: number; start: number }) =>
  db
    .insertInto('settled_packs')
    .values({ id: 1, ...upTo })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        segment: ref('excluded.segment'),
        start: ref('excluded.start'),
      })),
    )
