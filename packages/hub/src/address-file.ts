import { open, rename, rm, writeFile } from 'node:fs/promises'

const againMs = 2_000

/** Where a hub is, and which process it is: number and, where the system tells, when it began. */
export type HubAddress = { url: string; pid: number; since: string | null; sideDoor: boolean }

/**
 * `hub.json`, by which others find the hub of a data folder. It decides nothing (the lock does), so trouble with it stops no hub:
 * on a full disk the file of the hub before is written over where it lies, and if there is none, it is tried again.
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

  /** Says that no hub is here. The file stays: its place on the disk is there for a hub that starts when the disk is full. */
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

/** Writes over the file where it lies; what was longer is filled up with spaces, which JSON does not mind. */
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
