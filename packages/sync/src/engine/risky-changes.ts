import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Outgoing } from './hub-folder.ts'
import type { Ledger } from './ledger.ts'
import type { Wins } from './reconcile.ts'
import { type SyncQuestion, sample } from './sync-notes.ts'

/** Deletions wait until none came for this long, to be counted together. */
const deletionPauseMs = 100
/** Nobody is asked about files that turn up under another name: a large folder that is moved is gone before it is found. */
const graceMs = 1000
/** Deletions with less time than this between them are one burst, and what of it was sent already counts too. */
const burstPauseMs = 3000
/** And no burst is longer than this: who deletes for minutes means it. */
const burstMs = 30_000
// So few deletions are not worth waiting for more, unless they are a tenth of everything: a small folder can go in
// many small pieces, and nobody would have been asked about any of them (S13).
const few = 10
const worthAShare = 10

type Asked = Extract<SyncQuestion, { is: 'vanished' | 'head-moved' }>

/** What must not be sent before a person has said that it is meant: a moved HEAD, and files that went all at once. */
export class RiskyChanges {
  readonly #ledger: Ledger
  readonly #wins: Wins
  readonly #now: () => number
  readonly #allowed = new Set<WorkspacePath>()
  /** What went to the log in this burst: deletions nobody was asked about, and the contents of files. */
  readonly #deleted = new Map<WorkspacePath, BlobHash | null>()
  readonly #arrived = new Map<BlobHash, WorkspacePath>()
  /** What was made in this burst: to delete that again takes nothing away. */
  readonly #made = new Set<WorkspacePath>()
  #burstBegan = Number.NEGATIVE_INFINITY
  #lastDeletionAt = Number.NEGATIVE_INFINITY
  #position: string | null
  #reported: string | null = null

  constructor(ledger: Ledger, wins: Wins, position: string | null, now: () => number) {
    this.#ledger = ledger
    this.#wins = wins
    this.#position = position
    this.#now = now
    ledger.onMissing = () => this.#sawDeletion()
  }

  /** Where the folder's git stood when its changes were last sent. */
  get position(): string | null {
    return this.#position
  }

  /** Whether HEAD stands elsewhere than when changes were last sent. */
  get hasMoved(): boolean {
    return this.#wins === 'disk' && this.#position !== this.#reported
  }

  setHead(position: string | null): void {
    this.#reported = position
    this.#position ??= position
  }

  /** Takes note of what is about to be sent. */
  aboutToSend({ path, entry, was }: Outgoing): void {
    if (this.#lastDeletionAt === Number.NEGATIVE_INFINITY) return
    if (entry && !was) this.#made.add(path)
    if (entry) this.#arrived.set(entry.hash, path)
    else if (!this.#allowed.has(path) && !this.#made.has(path)) this.#deleted.set(path, was?.hash ?? null)
  }

  /** Deletions that may be part of a larger burst wait this long. */
  get pauseMs(): number {
    const leftMs = this.#lastDeletionAt + deletionPauseMs - this.#now()
    if (leftMs <= 0) return 0
    const gone = this.#gone().length + this.#deleted.size
    return gone >= few || gone * worthAShare > this.#ledger.trees.count ? leftMs : 0
  }

  /** Whoever would be asked about deletions is left alone this long. */
  get graceMs(): number {
    return Math.max(0, this.#lastDeletionAt + graceMs - this.#now())
  }

  /** Whether some of what has gone is still on its way to the log: only then can anybody say what becomes of it. */
  get isUnderWay(): boolean {
    for (const _ of this.#ledger.vanishing()) return true
    return false
  }

  /** What has to be asked before anything is sent. */
  question(): Asked | null {
    const { toSend, toDelete, trees } = this.#ledger
    if (this.hasMoved && toSend.size + toDelete.size > 0)
      return { is: 'head-moved', changes: sample([...toDelete, ...toSend]) }
    const gone = this.missing()
    if (gone.length === 0) return null
    const all = new Set([...gone, ...this.#sentAlready()])
    let had = trees.count
    for (const path of all) if (trees.log(path) === null) had += 1
    const how = tooManyGone(all.size, had)
    const before = all.size - gone.length
    return how && { is: 'vanished', gone: sample(gone), of: had - before, before, all: how === 'emptied' }
  }

  /** What happens is meant, a person says. */
  allowDeletions(): void {
    for (const path of this.#gone()) this.#allowed.add(path)
    this.#deleted.clear()
  }

  /** That this path goes is meant. */
  allowDeletion(path: WorkspacePath): void {
    this.#allowed.add(path)
  }

  /** The paths whose disappearance is in doubt. What is here under another name was moved, and is not gone. */
  missing(): WorkspacePath[] {
    const gone = this.#gone()
    if (gone.length === 0) return gone
    const here = this.#here()
    return gone.filter((path) => {
      const was = this.#ledger.trees.agreed(path)
      return !(was && here.has(was.hash))
    })
  }

  /** Changes from where HEAD stands now are meant. */
  acceptHead(): void {
    this.#position = this.#reported
  }

  #sawDeletion(): void {
    const now = this.#now()
    const isOver = now > Math.min(this.#lastDeletionAt + burstPauseMs, this.#burstBegan + burstMs)
    if (isOver && this.#isQuiet) {
      this.#forget()
      this.#burstBegan = now
    }
    this.#lastDeletionAt = now
  }

  /** What has gone and nobody has said that it may. */
  #gone(): WorkspacePath[] {
    if (this.#lastDeletionAt === Number.NEGATIVE_INFINITY) return []
    if (this.#isQuiet) {
      this.#allowed.clear()
      if (this.#now() > this.#lastDeletionAt + burstPauseMs) this.#forget()
      return []
    }
    const { toDelete } = this.#ledger
    return [...toDelete, ...this.#ledger.vanishing()].filter((path) => !this.#allowed.has(path))
  }

  get #isQuiet(): boolean {
    return this.#ledger.toDelete.size === 0 && !this.isUnderWay
  }

  #sentAlready(): WorkspacePath[] {
    if (this.#deleted.size === 0) return []
    const here = this.#here()
    const { disk } = this.#ledger
    const sent = [...this.#deleted].filter(([path, hash]) => !disk.entry(path) && !(hash && here.has(hash)))
    return sent.map(([path]) => path)
  }

  /** Contents that are here, or have just gone to the log from here. */
  #here(): Set<BlobHash> {
    const { disk } = this.#ledger
    const here = new Set<BlobHash>()
    for (const [hash, path] of this.#arrived) if (disk.entry(path)?.hash === hash) here.add(hash)
    for (const { entry } of disk.dirty()) if (entry) here.add(entry.hash)
    return here
  }

  #forget(): void {
    this.#lastDeletionAt = Number.NEGATIVE_INFINITY
    this.#deleted.clear()
    this.#arrived.clear()
    this.#made.clear()
  }
}

/** Fewer than this is what people delete in a day's work. */
const usualDeletions = 10

/**
 * Whether so much has gone at once that a person has to be asked before it goes everywhere (S13): everything, or more
 * than half of a folder that is not tiny.
 */
export function tooManyGone(gone: number, of: number): 'emptied' | 'half' | null {
  if (gone >= 3 && gone >= of) return 'emptied'
  return gone >= usualDeletions && gone * 2 > of ? 'half' : null
}
