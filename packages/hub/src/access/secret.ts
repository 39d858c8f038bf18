import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The hub's own key. Whoever has it can make runner tokens and file addresses, so it never leaves the data folder. */
export class Secret {
  readonly #key: Buffer

  constructor(key: Buffer) {
    if (key.length < 32) throw new Error('the secret in the data folder is damaged: it must have 32 bytes')
    this.#key = key
  }

  sign(purpose: string, ...parts: (string | number)[]): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, ...parts]))
      .digest('base64url')
  }

  matches(signature: string, purpose: string, ...parts: (string | number)[]): boolean {
    const wanted = Buffer.from(this.sign(purpose, ...parts))
    const given = Buffer.from(signature)
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  }
}

/** Reads the secret of a data folder, or makes one that only this user can read. */
export async function openSecret(data: string): Promise<Secret> {
  const path = join(data, 'secret')
  try {
    return new Secret(await readFile(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = randomBytes(32)
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(key)
    await file.sync()
  } finally {
    await file.close()
  }
  return new Secret(key)
}
