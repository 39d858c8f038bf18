import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The hub's signing key. It can make runner tokens and signed file URLs, so it must never leave the data folder. */
export class Secret {
  readonly #key: Buffer

  constructor(key: Buffer) {
    if (key.length < 32)
      throw new Error(
        'The file "secret" in the data folder is damaged: it must have 32 bytes. Put a copy of it back, or delete it: runners and file addresses of before are refused then, and all else works.',
      )
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
  return new Secret(await keyFile(join(data, 'secret'), randomBytes(32)))
}

/** The key in this file. If there is no file, writes `key` to it durably and returns that. */
export async function keyFile(path: string, key: Buffer): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // Written to a draft and renamed: with half a key in the file the hub could never start again.
  const draft = `${path}.draft`
  await rm(draft, { force: true })
  await writeDurably(draft, key)
  await rename(draft, path)
  await syncFolder(dirname(path))
  return key
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
