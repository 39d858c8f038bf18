import type { LogHead } from './event-log.ts'
import { encodeHead, type Snapshot } from './head-file.ts'
import { headPath, type LogPlace } from './log-place.ts'

const everyBytes = 1024 * 1024
/** A large snapshot is saved less often, so that snapshots are a small part of all writes. */
const bytesPerSnapshotByte = 8

/** Saves snapshots beside the log at intervals, so that opening the log is fast. */
export class SnapshotSaver {
  readonly #place: LogPlace
  readonly #everyEvents: number
  #saved: { id: number; bytes: number; size: number }
  #saving: Promise<void> = Promise.resolve()

  constructor(place: LogPlace, everyEvents: number, savedId: number, savedBytes: number) {
    this.#place = place
    this.#everyEvents = everyEvents
    this.#saved = { id: savedId, bytes: savedBytes, size: 0 }
  }

  /** Whether enough events were added since the last snapshot. */
  due({ lastId, bytes }: LogHead): boolean {
    const added = bytes - this.#saved.bytes
    if (added < this.#saved.size * bytesPerSnapshotByte) return false
    return added >= everyBytes || lastId - this.#saved.id >= this.#everyEvents
  }

  /** Takes the snapshot now. The returned function saves it, and may only be called once its events are durable. */
  take(snapshot: Snapshot): () => void {
    const { bytes } = snapshot
    const id = snapshot.state.lastId
    let file: Buffer
    try {
      file = encodeHead(snapshot)
    } catch (cause) {
      this.#notSaved(cause)
      // Even trying is expensive: the next try is when the log is twice as long.
      this.#saved = { id, bytes, size: bytes / bytesPerSnapshotByte }
      return () => {}
    }
    return () => {
      this.#saved = { id, bytes, size: file.length }
      this.#saving = this.#saving
        .then(() => this.#place.disk.replace(headPath(this.#place), file))
        .catch((cause) => this.#notSaved(cause))
    }
  }

  /** Saves this snapshot if it is newer than the last one, and waits until it is written. */
  async finish(snapshot: Snapshot | null): Promise<void> {
    if (snapshot && snapshot.bytes > this.#saved.bytes) this.take(snapshot)()
    await this.#saving
  }

  #notSaved(err: unknown): void {
    const { report, run } = this.#place
    report({ run, err }, 'the head of a log was not saved: opening it will take longer')
  }
}
