import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Seen, SkipReason } from './disk-folder.ts'
import type { Entry } from './reconcile.ts'

const mostContentBytes = 32 * 1024 * 1024
/** With this much waiting to be sent, no more files are read. */
const plentyBytes = 12 * 1024 * 1024
const mostRecent = 20_000

/**
 * The third tree: what is on the disk, as far as it was reported. Only what differs from what was agreed is kept here,
 * or is on its way to the log.
 */
export class DiskView {
  readonly #agreed: (path: WorkspacePath) => Entry
  readonly #dirty = new Map<WorkspacePath, Seen>()
  readonly #pinned = new Set<WorkspacePath>()
  readonly #skipped = new Map<WorkspacePath, SkipReason>()
  /** Contents that went from somewhere here: a file that was moved needs no second upload. */
  readonly #recent = new Set<BlobHash>()
  #contentBytes = 0

  constructor(agreed: (path: WorkspacePath) => Entry) {
    this.#agreed = agreed
  }

  entry(path: WorkspacePath): Entry {
    const seen = this.#dirty.get(path)
    return seen ? seen.entry : this.#agreed(path)
  }

  /** Whether so many contents wait to be sent that no more should be read. */
  get isFull(): boolean {
    return this.#contentBytes > plentyBytes
  }

  /** What was last reported of a path that is not as agreed. */
  seen(path: WorkspacePath): Seen | undefined {
    return this.#dirty.get(path)
  }

  isSkipped(path: WorkspacePath): boolean {
    return this.#skipped.has(path)
  }

  hadContent(hash: BlobHash): boolean {
    return this.#recent.has(hash)
  }

  see(seen: Seen): void {
    const { path } = seen
    this.#skipped.delete(path)
    const agreed = this.#agreed(path)
    this.#drop(path)
    if (sameEntry(seen.entry, agreed) && !this.#pinned.has(path)) return
    if (agreed) this.#remember(agreed.hash)
    if (seen.content && this.#contentBytes + seen.content.length > mostContentBytes) {
      const { content: _, ...rest } = seen
      this.#dirty.set(path, rest)
      return
    }
    this.#contentBytes += seen.content?.length ?? 0
    this.#dirty.set(path, seen)
  }

  /** What is agreed is about to change without the disk: keeps what the disk holds, which would else seem to change too. */
  hold(path: WorkspacePath): void {
    if (this.#dirty.has(path) || this.#skipped.has(path)) return
    this.#dirty.set(path, { path, entry: this.#agreed(path), size: 0 })
  }

  /** The path is not synced until it is seen again (S13). */
  skip(path: WorkspacePath, why: SkipReason): void {
    this.#drop(path)
    this.#skipped.set(path, why)
  }

  /** While a path is being sent or received, what is seen there is kept even if it is what was agreed: that is about to change. */
  pin(path: WorkspacePath): void {
    this.#pinned.add(path)
  }

  unpin(path: WorkspacePath): void {
    this.#pinned.delete(path)
    this.tidy(path)
  }

  /** What is agreed has changed: the disk may not differ from it any more. */
  tidy(path: WorkspacePath): void {
    const seen = this.#dirty.get(path)
    if (seen && !this.#pinned.has(path) && sameEntry(seen.entry, this.#agreed(path))) this.#drop(path)
  }

  /** The disk now holds this because we wrote it there. */
  wrote(path: WorkspacePath, before: FileEntry | null): void {
    if (before) this.#remember(before.hash)
    this.#drop(path)
  }

  /** Forgets what was reported of a path: another report is on its way. */
  forget(path: WorkspacePath): void {
    this.#drop(path)
  }

  *dirty(): Generator<Seen> {
    yield* this.#dirty.values()
  }

  #drop(path: WorkspacePath): void {
    const seen = this.#dirty.get(path)
    if (!seen) return
    this.#contentBytes -= seen.content?.length ?? 0
    this.#dirty.delete(path)
  }

  #remember(hash: BlobHash): void {
    if (this.#recent.size >= mostRecent) this.#recent.clear()
    this.#recent.add(hash)
  }
}
