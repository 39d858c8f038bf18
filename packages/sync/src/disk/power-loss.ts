import { hash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import { troubleWithPath } from '@farhand/protocol/trouble-with-path'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import type { LeftOver } from '../disk-folder.ts'
import { isNever } from './is-never.ts'
import { modeOf } from './rescue.ts'
import { inNfc, nameIn } from './root-folder.ts'

/** `overMs` is when the last life ended, null if it was not asked to. */
type Mark = { boot: string; overMs: number | null }

const empty = `sha256_${hash('sha256', '')}` as BlobHash
// Clocks of files are read a little late.
const slackMs = 2_000

/**
 * Notes in which life of the machine a folder is at work. Contents that were written shortly before the power went may
 * be gone while the file has its name already: making each one durable would cost more than all the rest.
 */
export class PowerLoss {
  readonly #file: string
  readonly #boot = bootId()
  /** Files that were empty before this may have been emptied by nobody; null if the machine has been up all the time. */
  readonly #doubtedMs: number | null

  constructor(state: string) {
    this.#file = join(state, 'boot')
    const before = readMark(this.#file)
    const isOther = before !== null && this.#boot !== null && before.boot !== this.#boot
    this.#doubtedMs = isOther ? (before.overMs ?? Date.now() - uptime() * 1000) + slackMs : null
    this.#note(null)
  }

  /** Files that a power loss may have emptied: where the run knows of a file, that is no edit. */
  emptied(root: string): LeftOver[] {
    return this.#doubtedMs === null ? [] : [...emptyFiles(root, '', this.#doubtedMs)]
  }

  over(): void {
    this.#note(Date.now())
  }

  #note(overMs: number | null): void {
    if (this.#boot === null) return
    try {
      writeFileSync(this.#file, JSON.stringify({ boot: this.#boot, overMs } satisfies Mark), { mode: 0o600 })
    } catch {
      // A state folder that cannot be written is found out by those who need it more.
    }
  }
}

function* emptyFiles(root: string, folder: string, beforeMs: number): Generator<LeftOver> {
  for (const found of entriesIn(join(root, folder))) {
    if (isNever(folder, found.name)) continue
    const name = nameIn(folder, found.name)
    if (found.isDirectory()) yield* emptyFiles(root, name, beforeMs)
    if (!found.isFile()) continue
    const stats = lstatSync(join(root, name), { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size > 0 || stats.mtimeMs > beforeMs) continue
    const path = inNfc(name) as WorkspacePath
    if (troubleWithPath(path) === null)
      yield { path, entry: { mode: modeOf(stats), hash: empty }, ifKnown: true }
  }
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Gone, or not ours to read: then nothing in it is ours to doubt.
    return []
  }
}

function readMark(file: string): Mark | null {
  try {
    const { boot, overMs } = JSON.parse(readFileSync(file, 'utf8')) as Mark
    return typeof boot === 'string' ? { boot, overMs: typeof overMs === 'number' ? overMs : null } : null
  } catch {
    // The first time, or the power took this as well.
    return null
  }
}

function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Other systems flush a new file when it gets the name of an old one, and have no such number.
    return null
  }
}
