import { closeSync, open, unlink, write } from 'node:fs'
import { promisify } from 'node:util'
import type { DiskSync } from './disk-sync.ts'

// The promise versions of these make a handle object of each file, which small blobs would notice.
const openFile = promisify(open)
const writeFile = promisify(write)
const unlinkFile = promisify(unlink)

/** A file on its way in: it has no lasting name until it is whole. */
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
    // A disk that is nearly full takes a part before it says so.
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

  /** Leaves nothing behind; what cannot be removed now is swept at the next start. */
  async discard(): Promise<void> {
    this.#close()
    await unlinkFile(this.path).catch(() => {})
  }

  #close(): void {
    const fd = this.#fd
    this.#fd = null
    // There is nothing left to write: this cannot wait for the disk.
    if (fd !== null) closeSync(fd)
  }
}
