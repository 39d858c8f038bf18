import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Outgoing } from './hub-folder.ts'
import type { Ledger } from './ledger.ts'
import type { Wins } from './reconcile.ts'
import { type SyncQuestion, sample } from './sync-notes.ts'

/** Deletions wait until none came for this long, to be counted together. */
const deletionPauseMs = 100
/** How long deleted files may take to turn up under another name: a large folder that is moved is gone before it is found. */
const graceMs = 1000
/** Deletions with less time than this between them are one burst, and what of it was sent already counts too. */
const burstPauseMs = 3000
/** And no burst is longer than this: a user who deletes files for minutes does so on purpose. */
const burstMs = 30_000
// So few deletions are not worth waiting for more, unless they are a tenth of everything: a small folder can go in
// many small pieces, and the user would never have been asked (S13).
const few = 10
const worthAShare = 10

type Asked = Extract<SyncQuestion, { is: 'vanished' | 'head-moved' }>

/** Changes that the user has to confirm before they are sent: a moved HEAD, and many files deleted at once. */
export class RiskyChanges {
  readonly #ledger: Ledger
  readonly #wins: Wins
  readonly #now: () => number
  readonly #allowed = new Set<WorkspacePath>()
  /** What went to the log in this burst: deletions that the user was not asked about, and the contents of files. */
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
    ledger.onDeletion = () => this.#sawDeletion()
  }

  /** The position of the folder's git when its changes were last sent. */
  get position(): string | null {
    return this.#position
  }

  /** Whether HEAD has moved since changes were last sent. */
  get hasHeadMoved(): boolean {
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
    const gone = this.#notAllowed().length + this.#deleted.size
    return gone >= few || gone * worthAShare > this.#ledger.trees.count ? leftMs : 0
  }

  /** How long to wait before the user is asked about deletions. */
  get graceMs(): number {
    return Math.max(0, this.#lastDeletionAt + graceMs - this.#now())
  }

  /** Whether some deleted files are still on their way to the log: it is not clear yet what becomes of them. */
  get isUnderWay(): boolean {
    for (const _ of this.#ledger.vanishing()) return true
    return false
  }

  /** What has to be asked before anything is sent. */
  question(): Asked | null {
    const { toSend, toDelete, trees } = this.#ledger
    if (this.hasHeadMoved && toSend.size + toDelete.size > 0)
      return { is: 'head-moved', changes: sample([...toDelete, ...toSend]) }
    const gone = this.unconfirmedDeletions()
    if (gone.length === 0) return null
    const all = new Set([...gone, ...this.#sentAlready()])
    let had = trees.count
    for (const path of all) if (trees.log(path) === null) had += 1
    const how = tooManyGone(all.size, had)
    const before = all.size - gone.length
    return how && { is: 'vanished', gone: sample(gone), of: had - before, before, all: how === 'emptied' }
  }

  /** The user says that these deletions are meant. */
  allowDeletions(): void {
    for (const path of this.#notAllowed()) this.#allowed.add(path)
    this.#deleted.clear()
  }

  /** This deletion is meant. */
  allowDeletion(path: WorkspacePath): void {
    this.#allowed.add(path)
  }

  /** The deleted paths that need confirmation. What is here under another name was moved, not deleted. */
  unconfirmedDeletions(): WorkspacePath[] {
    const gone = this.#notAllowed()
    if (gone.length === 0) return gone
    const here = this.#here()
    return gone.filter((path) => {
      const was = this.#ledger.trees.agreed(path)
      return !(was && here.has(was.hash))
    })
  }

  /** Changes from the present position of HEAD on are meant. */
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

  /** What was deleted and the user has not allowed yet. */
  #notAllowed(): WorkspacePath[] {
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
 * Whether so much was deleted at once that the user has to be asked before it is deleted everywhere (S13): everything, or more
 * than half of a folder that is not tiny.
 */
export function tooManyGone(gone: number, of: number): 'emptied' | 'half' | null {
  if (gone >= 3 && gone >= of) return 'emptied'
  return gone >= usualDeletions && gone * 2 > of ? 'half' : null
}
