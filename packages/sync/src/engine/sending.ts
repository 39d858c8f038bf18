import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { DiskFolder, Rescued, Seen } from './disk-folder.ts'
import type { Content, HubFolder, Outgoing, VersionToKeep } from './hub-folder.ts'
import type { Ledger } from './ledger.ts'
import { lookAgain } from './look-again.ts'
import type { SyncNote } from './sync-notes.ts'
import type { Timing } from './timing.ts'
import { TransferProgress } from './transfer-progress.ts'

const mostFiles = 512
const mostBytes = 4 * 1024 * 1024
/** Larger files may be sent as a patch. */
const largeBytes = 1024 * 1024
/** While one batch is on its way the next is prepared and the one before made durable. */
const mostBatches = 3
/** How long to wait before a file is tried again that could not be read although it has not changed. */
const pauseMs = 1_000

type Parts = {
  ledger: Ledger
  disk: DiskFolder
  hub: HubFolder
  timing: Timing
  /** Told of everything that is about to be sent. */
  aboutToSend: (outgoing: Outgoing) => void
  on: (note: SyncNote) => void
  /** Called as bytes of large contents move. */
  moved: () => void
  /** Resolves when the log has been read up to this event. */
  reached: (id: number) => Promise<void>
  /** Called when something has ended and there may be more to do. */
  next: () => void
  fail: (error: unknown) => void
  signal: AbortSignal
}

/** Sends what the disk has to the log, in batches. */
export class Sending {
  readonly #parts: Parts
  readonly #mustUpload = new Set<BlobHash>()
  readonly #rescued: Rescued[] = []
  #batchesUnderWay = 0
  readonly #ended: (() => void)[] = []
  /** Files sent since there was last nothing to send. */
  sent = 0
  /** Files on their way that have not been confirmed yet. */
  underWay = 0
  readonly bytes: TransferProgress

  constructor(parts: Parts) {
    this.#parts = parts
    this.bytes = new TransferProgress(parts.moved)
  }

  get isIdle(): boolean {
    return this.#batchesUnderWay === 0 && this.#rescued.length === 0
  }

  /** Resolves when one of the batches under way has arrived. */
  arrival(): Promise<void> {
    return new Promise((go) => this.#ended.push(go))
  }

  /** Stores rescued versions, which are no longer in the folder. */
  rescue(versions: readonly Rescued[]): void {
    this.#rescued.push(...versions)
  }

  /** Begins as many batches as may be under way at once. `holds` names paths that have to wait. */
  begin(holds: (path: WorkspacePath) => boolean): void {
    while (this.#batchesUnderWay < mostBatches) {
      const changes = this.#nextBatch(holds)
      const kept = this.#keepings()
      const rescued = this.#rescued.splice(0, mostFiles)
      const files = changes.length + kept.length + rescued.length
      if (files === 0) return
      this.#batchesUnderWay += 1
      this.underWay += files
      this.#sendBatch(changes, kept, rescued).then(
        () => {
          this.#batchesUnderWay -= 1
          this.underWay -= files
          if (this.#batchesUnderWay === 0 && this.#parts.ledger.sendCount === 0) this.#mustUpload.clear()
          for (const go of this.#ended.splice(0)) go()
          this.#parts.next()
        },
        (error) => this.#parts.fail(error),
      )
    }
  }

  #nextBatch(holds: (path: WorkspacePath) => boolean): Outgoing[] {
    const { ledger, aboutToSend } = this.#parts
    const batch: Outgoing[] = []
    let bytes = 0
    const deletions = new Set<WorkspacePath>()
    for (const path of deletionsFirst(ledger)) {
      if (batch.length >= mostFiles || bytes >= mostBytes) break
      if (holds(path)) continue
      if (ledger.disk.entry(path) === null) deletions.add(path)
      else if (ledger.isBusyInTheWay(path) || !ledger.wouldCount(path, (other) => deletions.has(other))) {
        // Events of before have to make room for it, or it for what comes before it: those are still under way.
        ledger.putOff(path)
        continue
      }
      const seen = ledger.disk.seen(path)
      const entry = ledger.disk.entry(path)
      const size = seen?.size ?? 0
      const outgoing: Outgoing = { path, entry, was: ledger.trees.agreed(path), size }
      if (entry && (this.#mustUpload.has(entry.hash) || !ledger.disk.hadContent(entry.hash))) {
        outgoing.content = this.#content(path, entry, seen)
        const base = outgoing.was?.hash
        if (base && size > largeBytes)
          outgoing.patch = async () => (await this.#parts.disk.patch?.(path, entry, base)) ?? null
        if (size > largeBytes) outgoing.onBytes = this.bytes.start(size)
        bytes += size
      }
      ledger.begin(path, entry)
      aboutToSend(outgoing)
      batch.push(outgoing)
    }
    return batch
  }

  #keepings(): VersionToKeep[] {
    const { ledger } = this.#parts
    const kept: VersionToKeep[] = []
    for (const path of ledger.toKeep) {
      if (kept.length >= mostFiles) break
      const seen = ledger.disk.seen(path)
      const entry = ledger.disk.entry(path)
      ledger.begin(path)
      if (!entry) ledger.end(path)
      else
        kept.push({
          path,
          entry,
          size: seen?.size ?? 0,
          content: this.#content(path, entry, seen),
          why: 'overruled',
          onBytes: this.bytes.start(seen?.size ?? 0),
        })
    }
    return kept
  }

  #content(path: WorkspacePath, entry: VersionToKeep['entry'], seen: Seen | undefined): Content {
    return seen?.content ?? (() => this.#parts.disk.open(path, entry))
  }

  async #sendBatch(changes: Outgoing[], kept: VersionToKeep[], rescued: Rescued[]): Promise<void> {
    const { ledger, disk, hub, on, reached, signal } = this.#parts
    const alsoKept = rescued.map(
      (version): VersionToKeep => ({
        ...version,
        content: version.content ?? (() => disk.openRescued(version.id)),
        why: 'overruled',
        onBytes: this.bytes.start(version.size),
      }),
    )
    const { lastId, ids, dropped, needed } = await hub.send({ changes, kept: [...kept, ...alsoKept] }, signal)
    await reached(lastId)
    for (const { onBytes } of [...changes, ...kept, ...alsoKept]) this.bytes.end(onBytes)
    const lost = new Set<WorkspacePath>(dropped)
    const wanted = new Set<WorkspacePath>(needed)
    for (const change of changes) {
      const { path, entry, was } = change
      if (lost.has(path)) continue
      ledger.end(path)
      if (wanted.has(path)) {
        if (entry) this.#mustUpload.add(entry.hash)
        continue
      }
      if (entry) ledger.secure(path, entry)
      this.sent += 1
      const deed = entry ? (was ? 'modified' : 'created') : 'deleted'
      on({ is: 'sent', path, deed, eventId: ids.get(change) ?? lastId })
    }
    for (const keeping of kept) {
      if (lost.has(keeping.path)) continue
      ledger.secure(keeping.path, keeping.entry)
      ledger.end(keeping.path)
    }
    for (const keeping of [...kept, ...alsoKept]) {
      const { path, entry, why } = keeping
      const eventId = ids.get(keeping)
      if (eventId !== undefined) on({ is: 'kept', path, entry, why, eventId })
    }
    // A rescued file that could not be opened stays, and the next process reports it again.
    const stored = rescued.filter(({ path }) => !lost.has(path))
    if (stored.length > 0) disk.release(stored.map(({ id }) => id))
    const ours = [...changes, ...kept].map(({ path }) => path)
    await this.#giveUp(ours.filter((path) => lost.has(path)))
  }

  /** What was to be sent could not be read: it is something else by now, or only its times are. */
  async #giveUp(paths: WorkspacePath[]): Promise<void> {
    const { ledger, timing, signal } = this.#parts
    const same = await lookAgain(this.#parts, paths)
    if (same.length > 0) await timing.sleep(pauseMs, signal)
    for (const path of paths) ledger.end(path)
  }
}

function* deletionsFirst({ toDelete, toSend }: Ledger): Generator<WorkspacePath> {
  yield* toDelete
  yield* toSend
}
