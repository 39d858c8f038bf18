import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** Tells one version of a file from another; without the ctime, which a rename changes. */
export type FileIdentity = { ino: number; size: number; mtimeMs: number; mode: number }

/**
 * What is about to be done to a path, written down before it is. `at` is where the new file waits (and afterwards
 * perhaps the old one), `ino` its inode; `${at}.old` is where the old one goes if it cannot go there.
 */
export type Intent = {
  n: number
  path: WorkspacePath
  is: 'put' | 'delete' | 'mode'
  from: FileEntry | null
  to: FileEntry | null
  at: string
  ino: number
  old: FileIdentity | null
  /** The stats of the old file prove nothing: only its hash says which version it is. */
  racy: boolean
}

export type Intents = { intents: Intent[]; settled: number }

export const identityOf = ({ ino, size, mtimeMs, mode }: Stats): FileIdentity => ({
  ino,
  size,
  mtimeMs,
  mode,
})

export const sameIdentity = (stats: FileIdentity, looks: FileIdentity) =>
  stats.ino === looks.ino &&
  stats.size === looks.size &&
  stats.mtimeMs === looks.mtimeMs &&
  stats.mode === looks.mode

const fileIn = (folder: string) => join(folder, 'intents')
const rewriteFrom = 4 * 1024 * 1024

/** The intents of this process, in its staging folder. After a crash they show, with the files there, what was done. */
export class ApplyIntents {
  readonly #folder: string
  #handle: number
  #length = 0
  #settled = 0
  #last = 0
  #rewriteAt = rewriteFrom

  constructor(folder: string) {
    this.#folder = folder
    this.#handle = openSync(fileIn(folder), 'a', 0o600)
  }

  /** Throws when they could not be written, and then none of them was. */
  add(intents: readonly Intent[]): void {
    if (intents.length === 0) return
    let text = ''
    for (const intent of intents) text += `${JSON.stringify(intent)}\n`
    this.#append(text)
    this.#last = intents.at(-1)!.n
  }

  /** Everything up to here is known elsewhere too. */
  settle(n: number): void {
    if (n <= this.#settled) return
    this.#append(`{"settled":${n}}\n`)
    this.#settled = n
  }

  /** Forgets what is settled and of which no old file is around any more, when it is worth the while. */
  tidy(grace: { isEmpty: boolean; needed: () => Set<number> }): void {
    if (grace.isEmpty && this.#last <= this.#settled) {
      if (this.#length > 0) this.#cut(0)
    } else if (this.#length > this.#rewriteAt) this.#rewrite(grace.needed())
  }

  close(): void {
    closeSync(this.#handle)
  }

  #rewrite(needed: Set<number>): void {
    const kept = readIntents(this.#folder).intents.filter(({ n }) => n > this.#settled || needed.has(n))
    const text = [{ settled: this.#settled }, ...kept].map((line) => `${JSON.stringify(line)}\n`).join('')
    const spare = `${fileIn(this.#folder)}.new`
    writeFileSync(spare, text, { mode: 0o600 })
    renameSync(spare, fileIn(this.#folder))
    this.close()
    this.#handle = openSync(fileIn(this.#folder), 'a', 0o600)
    this.#length = Buffer.byteLength(text)
    this.#rewriteAt = Math.max(rewriteFrom, 2 * this.#length)
  }

  #append(text: string): void {
    const bytes = Buffer.from(text)
    try {
      for (let from = 0; from < bytes.length; ) from += writeSync(this.#handle, bytes, from)
      this.#length += bytes.length
    } catch (error) {
      this.#cut(this.#length)
      throw error
    }
  }

  #cut(length: number): void {
    ftruncateSync(this.#handle, length)
    this.#length = length
  }
}

/** What an earlier process wrote down. After a torn last line nothing was done. */
export function readIntents(folder: string): Intents {
  const intents: Intent[] = []
  let settled = 0
  let text = ''
  try {
    text = readFileSync(fileIn(folder), 'utf8')
  } catch {
    // A process that ended before its first change.
  }
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue
    const said = JSON.parse(line) as Intent | { settled: number }
    if ('settled' in said) settled = said.settled
    else intents.push(said)
  }
  return { intents, settled }
}
