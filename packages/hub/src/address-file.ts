import { open, rename, rm, writeFile } from 'node:fs/promises'

const againMs = 2_000

/** The content of `hub.json`: the hub's URL, its process id and, where the system tells, when that process started. */
export type HubAddress = { url: string; pid: number; since: string | null; sideDoor: boolean }

/**
 * `hub.json`, by which other processes find the hub of a data folder. The lock decides which hub runs, so a failed write here does
 * not stop the hub: on a full disk the old file is overwritten in place, and without an old file the write is retried.
 */
export class AddressFile {
  readonly #path: string
  readonly #onTrouble: (error: unknown) => void
  #again: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string, onTrouble: (error: unknown) => void) {
    this.#path = path
    this.#onTrouble = onTrouble
  }

  async write(address: HubAddress): Promise<void> {
    const text = JSON.stringify(address)
    this.#writing = this.#put(text).catch((error) => {
      if (!this.#again) this.#onTrouble(error)
      this.#again = setTimeout(() => void this.write(address), againMs).unref()
    })
    await this.#writing
  }

  /** Records that no hub runs here. The file is kept: a hub that starts on a full disk can overwrite it in place. */
  async clear(): Promise<void> {
    clearTimeout(this.#again)
    await this.#writing
    clearTimeout(this.#again)
    await writeOver(this.#path, '{}').catch(() => rm(this.#path, { force: true }))
  }

  async #put(text: string): Promise<void> {
    const draft = `${this.#path}.draft`
    try {
      await writeFile(draft, text, { mode: 0o600 })
      await rename(draft, this.#path)
    } catch {
      await rm(draft, { force: true }).catch(() => {})
      await writeOver(this.#path, text)
    }
  }
}

/** Overwrites the file in place. If the old text was longer, the rest is filled with spaces, which JSON allows. */
async function writeOver(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const bytes = Buffer.from(text.padEnd(size))
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, 0)
    if (bytesWritten < bytes.length) throw new Error(`${path} was not written whole`)
  } finally {
    await file.close()
  }
}
