import { sameEntry } from '@farhand/protocol/files/path-history'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Change, Changed, DiskFolder, Seen, Staged } from './disk-folder.ts'
import type { HubFolder } from './hub-folder.ts'
import type { Ledger } from './ledger.ts'
import { lookAgain } from './look-again.ts'
import type { Agreement } from './memory.ts'
import type { SyncNote } from './sync-notes.ts'
import type { Timing } from './timing.ts'
import { TransferProgress } from './transfer-progress.ts'

const mostFiles = 512
const mostBytes = 4 * 1024 * 1024
/** Larger ones go through a staged file and never through memory. */
const largeBytes = 1024 * 1024
const mostBatches = 2
const firstPauseMs = 1_000
const longestPauseMs = 60_000

type Parts = {
  ledger: Ledger
  disk: DiskFolder
  hub: HubFolder
  timing: Timing
  on: (note: SyncNote) => void
  /** Called as bytes of large contents move. */
  moved: () => void
  /** The size of the content with this hash, if an event named it. */
  sizeOf: (hash: BlobHash) => number | undefined
  note: (agreements: Agreement[]) => void
  next: () => void
  fail: (error: unknown) => void
  signal: AbortSignal
}

/** Why something could not be fetched or written, and the error code of the system. */
type Missed = { why: string; code?: string | undefined }

type Contents = {
  bytes: Map<BlobHash, Uint8Array>
  staged: Map<BlobHash, Staged>
  unavailable: Map<BlobHash, Missed>
}

/** `seen` is what had been reported of the path when it was planned. */
type Planned = Change & { seen: Seen | undefined }

/** Fetches what the log has and applies it to the disk, in batches. */
export class Receiving {
  readonly #parts: Parts
  readonly #toRetry = new Set<WorkspacePath>()
  #batchesUnderWay = 0
  #answered = 0
  #resting = 0
  #failuresInARow = 0
  /** Files written here since there was last nothing to write. */
  applied = 0
  /** Files that are being received, or wait for another try. */
  underWay = 0
  readonly bytes: TransferProgress

  constructor(parts: Parts) {
    this.#parts = parts
    this.bytes = new TransferProgress(parts.moved)
  }

  get isIdle(): boolean {
    return this.#batchesUnderWay === 0 && this.#resting === 0
  }

  /** Begins as many batches as may be under way at once. */
  begin(): void {
    while (this.#batchesUnderWay < mostBatches && this.#resting === 0) {
      const batch = this.#nextBatch()
      if (batch.length === 0) return
      this.#batchesUnderWay += 1
      this.underWay += batch.length
      this.#receiveBatch(batch).then(
        () => {
          this.#batchesUnderWay -= 1
          this.underWay -= batch.length
          this.#parts.next()
        },
        (error) => this.#parts.fail(error),
      )
    }
  }

  #nextBatch(): Planned[] {
    const { ledger, sizeOf } = this.#parts
    const batch: Planned[] = []
    let bytes = 0
    for (const path of ledger.toReceive) {
      if (batch.length >= mostFiles || bytes >= mostBytes) break
      const to = ledger.trees.log(path)
      // What is there may take this path away again, or has to make room for it first; and what waits to be sent would
      // wait for as long as we try, again and again, to write here what cannot be written.
      if (to && (ledger.isBusyInTheWay(path) || ledger.isToSendAbove(path))) {
        ledger.touch(path)
        continue
      }
      const size = to ? (sizeOf(to.hash) ?? 0) : 0
      // A large one travels alone, so that small ones need not wait for it.
      if (size > largeBytes && batch.length > 0) continue
      ledger.begin(path)
      batch.push({ path, from: ledger.disk.entry(path), to, size, seen: ledger.disk.seen(path) })
      bytes += size
    }
    return batch
  }

  async #receiveBatch(batch: Planned[]): Promise<void> {
    const { ledger, disk, note } = this.#parts
    const contents = await this.#contents(batch)
    const changes: Planned[] = []
    const usedUp = new Set<BlobHash>()
    for (const change of batch) {
      const { path, from, to } = change
      const isCurrent = sameEntry(ledger.trees.log(path), to) && sameEntry(ledger.disk.entry(path), from)
      if (!isCurrent) ledger.end(path)
      else if (to && contents.unavailable.has(to.hash))
        this.#later(path, contents.unavailable.get(to.hash)!, 'alone')
      else if (to && usedUp.has(to.hash)) ledger.end(path)
      else {
        changes.push(withContent(change, contents))
        // Giving a staged file its name uses it up: the next path with this content comes with the next batch.
        if (to && contents.staged.has(to.hash)) usedUp.add(to.hash)
      }
    }
    // The log or the disk has moved on while it was fetched.
    for (const [hash, staged] of contents.staged) if (!usedUp.has(hash)) disk.dropStaged(staged)
    if (changes.length === 0) return
    const results = await disk.apply(changes)
    const agreements: Agreement[] = []
    const doubtful: WorkspacePath[] = []
    const changed: WorkspacePath[] = []
    for (const [index, result] of results.entries()) {
      const change = changes[index]!
      // What was reported meanwhile may be from before or after it was written: only another look can tell.
      const isDoubtful = result.is === 'done' && ledger.disk.seen(change.path) !== change.seen
      this.#settle(change, result, agreements)
      if (isDoubtful) doubtful.push(change.path)
      if (result.is === 'changed') changed.push(change.path)
    }
    note(agreements)
    disk.settled(++this.#answered)
    // Both begin before anything else can happen: a path that is released may be busy with something else by the next turn.
    await Promise.all([this.#lookAgain(doubtful), this.#lookAtChanged(changed)])
  }

  async #lookAgain(paths: WorkspacePath[]): Promise<void> {
    await lookAgain(this.#parts, paths)
    for (const path of paths) this.#parts.ledger.end(path)
  }

  /** The disk has moved on at these paths, or at something in their way. */
  async #lookAtChanged(paths: WorkspacePath[]): Promise<void> {
    const { ledger } = this.#parts
    const same = new Set(await lookAgain(this.#parts, paths))
    for (const path of paths) {
      if (!same.has(path) || !ledger.isBlocked(path)) ledger.end(path)
      else {
        ledger.block(path)
        this.#retryLater(path)
      }
    }
  }

  /** A report about what is in the way may come at any time; if none does, it is tried again all the same. */
  #retryLater(path: WorkspacePath): void {
    const { ledger, timing, next, fail, signal } = this.#parts
    if (this.#toRetry.add(path).size > 1) return
    timing.sleep(longestPauseMs / 6, signal).then(() => {
      for (const path of this.#toRetry) ledger.retry(path)
      this.#toRetry.clear()
      next()
    }, fail)
  }

  #settle({ path, from, to }: Change, result: Changed, agreements: Agreement[]): void {
    const { ledger, on } = this.#parts
    switch (result.is) {
      case 'done':
        this.#failuresInARow = 0
        this.applied += 1
        agreements.push(ledger.trees.agree(path, to))
        ledger.disk.wrote(path, from)
        ledger.end(path)
        on({
          is: 'applied',
          path,
          deed: to ? (from ? 'modified' : 'created') : 'deleted',
          by: ledger.trees.author(path),
        })
        return
      case 'changed':
        ledger.block(path)
        return
      case 'skipped':
        // What is in the way is not synced for now. When it goes, this file is written.
        if (result.why === 'in-the-way') ledger.block(path)
        else {
          ledger.skip(path, result.why)
          ledger.end(path)
        }
        on({ is: 'skipped', skip: { path, why: result.why } })
        return
      case 'failed':
        this.#later(path, result, 'with all others')
    }
  }

  /** Tries again after a while. When the disk is what fails, nothing else is tried meanwhile. */
  #later(path: WorkspacePath, { why, code }: Missed, which: 'alone' | 'with all others'): void {
    const { ledger, timing, on, next, fail, signal } = this.#parts
    on({ is: 'trouble', path, why, ...(code !== undefined && { code }) })
    this.underWay += 1
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(10, this.#failuresInARow))
    if (which === 'with all others') {
      this.#resting += 1
      this.#failuresInARow += 1
    }
    timing.sleep(which === 'alone' ? longestPauseMs / 6 : pauseMs, signal).then(() => {
      if (which === 'with all others') this.#resting -= 1
      this.underWay -= 1
      ledger.end(path)
      next()
    }, fail)
  }

  async #contents(batch: readonly Change[]): Promise<Contents> {
    const { hub, signal } = this.#parts
    const contents: Contents = { bytes: new Map(), staged: new Map(), unavailable: new Map() }
    const sizes = new Map<BlobHash, number>()
    for (const { to, size } of batch) if (to) sizes.set(to.hash, size)
    const small = [...sizes].filter(([, size]) => size <= largeBytes)
    if (small.length > 0) {
      const wanted = small.map(([hash, size]) => ({ hash, size }))
      for await (const { hash, bytes } of hub.fetch(wanted, signal)) contents.bytes.set(hash, bytes)
    }
    for (const change of batch) {
      const hash = change.to?.hash
      if (!hash || contents.bytes.has(hash) || contents.staged.has(hash) || contents.unavailable.has(hash))
        continue
      const staged = (await this.#patched(change)) ?? (await this.#download(hash, change.size))
      if ('name' in staged) contents.staged.set(hash, staged)
      else contents.unavailable.set(hash, staged)
    }
    return contents
  }

  /** Made of what is here and what is different, if that is possible: most of a large file need not travel. */
  async #patched({ path, from, to, size }: Change): Promise<Staged | null> {
    const { hub, disk, signal } = this.#parts
    if (!from || !to || size <= largeBytes || from.hash === to.hash) return null
    const patch = await hub.patch?.({ hash: to.hash, base: from.hash }, signal)
    // An error here would also come with the whole content, and is reported then.
    return (
      (patch && (await disk.stagePatched?.(path, { hash: to.hash, size, patch }).catch(() => null))) || null
    )
  }

  async #download(hash: BlobHash, size: number): Promise<Staged | Missed> {
    const { hub, disk, signal } = this.#parts
    const at = size > largeBytes ? this.bytes.start(size) : undefined
    const pieces = hub.download(hash, signal)
    try {
      return await disk.stage(at ? counted(pieces, at) : pieces)
    } catch (error) {
      // It may have expired, or the disk may be full: the others need not wait for it (S5).
      signal.throwIfAborted()
      const { code } = error as { code?: unknown }
      const why = `its content could not be fetched: ${said(error)}`
      return { why, ...(typeof code === 'string' && { code }) }
    } finally {
      this.bytes.end(at)
    }
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, at: (bytes: number) => void) {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    at(bytes)
    yield piece
  }
}

function withContent(change: Planned, contents: Contents): Planned {
  if (!change.to) return change
  const content = contents.bytes.get(change.to.hash)
  if (content) return { ...change, size: content.length, content }
  const staged = contents.staged.get(change.to.hash)
  return staged ? { ...change, staged } : change
}

const said = (error: unknown) => (error instanceof Error ? error.message : String(error))
