import type { DiskFolder } from '@farhand/sync/engine/disk-folder'
import type { Connection } from '@farhand/sync/engine/hub-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/** Counts the changes in a folder while its hub does not answer: the sync reports none until it can send again. */
export class WaitingChanges {
  readonly #on: (note: SyncNote) => void
  readonly #paths = new Set<string>()
  #isOffline = false

  constructor(on: (note: SyncNote) => void) {
    this.#on = on
  }

  connection({ is }: Connection): void {
    if (is === 'live') this.#paths.clear()
    if (is !== 'connecting') this.#isOffline = is === 'offline'
  }

  /** The same folder; counts the changes that it reports. */
  counting(disk: DiskFolder): DiskFolder {
    return {
      ...disk,
      next: async (signal) => {
        const report = await disk.next(signal)
        if (this.#isOffline && report.scanned && report.seen.length > 0) {
          for (const { path } of report.seen) this.#paths.add(path)
          this.#on({ is: 'progress', toSend: this.#paths.size, sent: 0, toApply: 0, applied: 0 })
        }
        return report
      },
    }
  }

  /** How many changes are not in the run when the sync stops. */
  get size(): number {
    return this.#paths.size
  }
}
