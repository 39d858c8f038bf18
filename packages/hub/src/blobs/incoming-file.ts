import { closeSync, open, unlink, write } from 'node:fs'
import { promisify } from 'node:util'
import type { DiskSync } from './disk-sync.ts'

// Node's promise versions create a handle object for each file, which is slow for small blobs.
const openFile = promisify(open)
const writeFile = promisify(write)
const unlinkFile = promisify(unlink)

/** A file being received. It gets its final name only when it is complete. */
export class IncomingFile {
  readonly path: string
  /** How many bytes were written here. */
  size = 0
  #fd: number | null

  private constructor(path: string, fd: number) {
    this.path = path
    this.#fd = fd
  }

  static async create(path: string): Promise<IncomingFile> {
    return new IncomingFile(path, await openFile(path, 'wx', 0o600))
  }

  async write(bytes: Uint8Array): Promise<void> {
    // An almost full disk takes a part before it reports an error.
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await writeFile(this.#fd!, bytes, at)
      at += bytesWritten
      this.size += bytesWritten
    }
  }

  /** Resolves once everything that was written is on the disk. */
  async finish(sync: DiskSync): Promise<void> {
    await sync.file(this.#fd!)
    this.#close()
  }

  /** Deletes the file; if that fails, the next start of the hub deletes it. */
  async discard(): Promise<void> {
    this.#close()
    await unlinkFile(this.path).catch(() => {})
  }

  #close(): void {
    const fd = this.#fd
    this.#fd = null
    // Synchronous: there is nothing left to write, so this does not wait for the disk.
    if (fd !== null) closeSync(fd)
  }
}
