import { closeSync, fdatasync, fdatasyncSync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { ConcurrencyLimit } from '@farhand/kit/concurrency-limit'
import { QuickDisk } from '@farhand/kit/quick-disk'

const syncData = promisify(fdatasync)
const syncAll = promisify(fsync)

/** Syncs to the disk without using all of the process's file threads. */
export class DiskSync {
  // Node has four threads for files: a burst of blobs must leave one for the logs.
  readonly #limit = new ConcurrencyLimit(3)
  readonly #waiting = new Map<string, Promise<void>>()
  readonly #disk = new QuickDisk()

  /** Resolves once the data written to the file is on the disk; `bytes` is its amount, if known. */
  file(fd: number, bytes = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#disk.run(
      bytes,
      () => fdatasyncSync(fd),
      () => this.#limit.run(() => syncData(fd)),
    )
  }

  /** Resolves once the names in a folder are on the disk. Calls made before a sync begins share it. */
  folder(path: string): Promise<void> {
    const shared = this.#waiting.get(path)
    if (shared) return shared
    let begun = false
    const sync = this.#limit.run(async () => {
      begun = true
      this.#waiting.delete(path)
      await syncFolder(path)
    })
    if (!begun) this.#waiting.set(path, sync)
    return sync
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    await syncAll(fd)
  } finally {
    closeSync(fd)
  }
}
