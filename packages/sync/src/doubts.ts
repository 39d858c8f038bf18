import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import { sample } from './first-attach.ts'
import type { Ledger } from './ledger.ts'
import type { Wins } from './reconcile.ts'
import type { SyncQuestion } from './sync-notes.ts'
import { tooManyGone } from './too-many-gone.ts'

/** A burst of deletions is over when none came for this long; until then they wait, to be counted together. */
const deletionPauseMs = 100
/** Nobody is asked about files that turn up under another name: a large folder that is moved is gone before it is found. */
const graceMs = 1000
// So few deletions are not worth waiting for more, unless they are a tenth of everything: a small folder can go in
// many small pieces, and nobody would have been asked about any of them (S13).
const few = 10
const worthAShare = 10

type Asked = Extract<SyncQuestion, { is: 'vanished' | 'head-moved' }>

/** What must not be sent before a person has said that it is meant: a moved HEAD, and files that went all at once. */
export class Doubts {
  readonly #ledger: Ledger
  readonly #wins: Wins
  readonly #now: () => number
  readonly #allowed = new Set<WorkspacePath>()
  #lastDeletionAt = Number.NEGATIVE_INFINITY
  #position: string | null
  #reported: string | null = null

  constructor(ledger: Ledger, wins: Wins, position: string | null, now: () => number) {
    this.#ledger = ledger
    this.#wins = wins
    this.#position = position
    this.#now = now
  }

  /** Where the folder's git stood when its changes were last sent. */
  get position(): string | null {
    return this.#position
  }

  /** Whether HEAD stands elsewhere than when changes were last sent. */
  get hasMoved(): boolean {
    return this.#wins === 'disk' && this.#position !== this.#reported
  }

  hear(position: string | null): void {
    this.#reported = position
    this.#position ??= position
  }

  sawDeletion(): void {
    this.#lastDeletionAt = this.#now()
  }

  /** Deletions that may be part of a larger burst wait this long. */
  get pauseMs(): number {
    const leftMs = this.#lastDeletionAt + deletionPauseMs - this.#now()
    if (leftMs <= 0) return 0
    const gone = this.#gone().length
    return gone >= few || gone * worthAShare > this.#ledger.trees.count ? leftMs : 0
  }

  /** Whoever would be asked about deletions is left alone this long. */
  get graceMs(): number {
    return Math.max(0, this.#lastDeletionAt + graceMs - this.#now())
  }

  /** What has to be asked before anything is sent. */
  question(): Asked | null {
    const { toSend, toDelete, trees } = this.#ledger
    if (this.hasMoved && toSend.size + toDelete.size > 0)
      return { is: 'head-moved', changes: sample([...toDelete, ...toSend]) }
    const gone = this.missing()
    if (gone.length === 0) return null
    const of = trees.count
    const how = tooManyGone(gone.length, of)
    return how && { is: 'vanished', gone: sample(gone), of, all: how === 'emptied' }
  }

  /** What happens is meant, a person says. */
  allowDeletions(): void {
    for (const path of this.#gone()) this.#allowed.add(path)
  }

  /** The paths whose disappearance is in doubt. What is here under another name was moved, and is not gone. */
  missing(): WorkspacePath[] {
    const gone = this.#gone()
    if (gone.length === 0) return gone
    const { disk, trees } = this.#ledger
    const here = new Set<BlobHash>()
    for (const { entry } of disk.dirty()) if (entry) here.add(entry.hash)
    return gone.filter((path) => {
      const was = trees.agreed(path)
      return !(was && here.has(was.hash))
    })
  }

  /** Changes from where HEAD stands now are meant. */
  moveOn(): void {
    this.#position = this.#reported
  }

  #gone(): WorkspacePath[] {
    if (this.#lastDeletionAt === Number.NEGATIVE_INFINITY) return []
    const gone = [...this.#ledger.toDelete]
    if (gone.length === 0) {
      this.#lastDeletionAt = Number.NEGATIVE_INFINITY
      this.#allowed.clear()
    }
    return gone.filter((path) => !this.#allowed.has(path))
  }
}
