import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { entryAt, modeOf } from '../index/file-entry.ts'
import { type Intent, readIntents, sameIdentity } from './apply-intents.ts'
import type { Renames } from './renames.ts'
import { isVersionOf } from './rescue-grace.ts'
import type { RescuedFiles } from './rescued-files.ts'

/** What was done and is noted nowhere else. `forget`: now it is. */
export type LeftBehind = {
  readonly done: { path: WorkspacePath; entry: FileEntry | null }[]
  readonly forget: () => void
}

/**
 * Reads what earlier processes intended and finds out from the files that are left what was done. A version that a crash
 * left without its name gets it back, or is rescued. May be cut off anywhere itself, and run again.
 */
export function recoverLeftBehind(root: string, rescued: RescuedFiles, renames: () => Renames): LeftBehind {
  const incoming = join(root, '.farhand/incoming')
  const leftFolders = foldersIn(incoming).filter((name) => name !== 'rescued')
  const done = new Map<WorkspacePath, FileEntry | null>()
  for (const name of leftFolders.sort()) {
    const folder = join(incoming, name)
    for (const { path, entry } of new Recovery(root, folder, rescued, renames).take()) done.set(path, entry)
  }
  const forget = () => {
    for (const name of leftFolders.splice(0)) removeTaken(join(incoming, name))
  }
  if (done.size === 0) forget()
  return { done: [...done].map(([path, entry]) => ({ path, entry })), forget }
}

class Recovery {
  readonly #root: string
  readonly #folder: string
  readonly #rescued: RescuedFiles
  readonly #renames: () => Renames

  constructor(root: string, folder: string, rescued: RescuedFiles, renames: () => Renames) {
    this.#root = root
    this.#folder = folder
    this.#rescued = rescued
    this.#renames = renames
  }

  take(): LeftBehind['done'] {
    const { intents, settled } = readIntents(this.#folder)
    const done = this.#earlierResult() ?? this.#judge(intents, settled)
    for (const intent of intents) this.#clear(intent)
    for (const name of readdirSync(this.#folder, { withFileTypes: true })) {
      if (name.isDirectory() || name.name === 'intents' || name.name === 'done') continue
      rmSync(join(this.#folder, name.name), { force: true })
    }
    return done
  }

  /** The result of an earlier recovery. Files were deleted since then, so it cannot be found out again. */
  #earlierResult(): LeftBehind['done'] | null {
    try {
      return JSON.parse(readFileSync(join(this.#folder, 'done'), 'utf8')) as LeftBehind['done']
    } catch {
      return null
    }
  }

  #judge(intents: Intent[], settled: number): LeftBehind['done'] {
    const done: LeftBehind['done'] = []
    for (const intent of intents) {
      if (intent.n <= settled) continue
      this.#putBack(intent)
      if (this.#isDone(intent)) done.push({ path: intent.path, entry: intent.to })
    }
    const file = join(this.#folder, 'done')
    writeFileSync(`${file}.new`, JSON.stringify(done), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    return done
  }

  /** The crash came between taking a newer file of the user away and giving it back: it is given back now, if possible. */
  #putBack(intent: Intent): void {
    const disk = this.#disk(intent.path)
    if (intent.is === 'delete') {
      const old = this.#at(`${intent.at}.old`)
      if (old && !this.#isAsExpected(intent, `${intent.at}.old`, old)) {
        this.#renames().toFreeName(join(this.#root, `${intent.at}.old`), disk)
      }
      return
    }
    const held = this.#at(intent.at)
    if (!held || held.ino === intent.ino || this.#isAsExpected(intent, intent.at, held)) return
    const now = lstatSync(disk, { throwIfNoEntry: false })
    // Only over our own, unchanged file: a changed one is newer still.
    if (now?.ino !== intent.ino || entryAt(disk)?.hash !== intent.to?.hash) return
    this.#renames().exchange?.(join(this.#root, intent.at), disk)
  }

  #isDone(intent: Intent): boolean {
    if (intent.is === 'delete') return this.#at(`${intent.at}.old`) !== undefined
    if (intent.is === 'mode') {
      const now = lstatSync(this.#disk(intent.path), { throwIfNoEntry: false })
      return now !== undefined && modeOf(now) === intent.to!.mode
    }
    const waiting = this.#at(intent.at)
    return waiting === undefined || waiting.ino !== intent.ino || waiting.nlink > 1
  }

  /** Removes versions that the log has; any other version is rescued. */
  #clear(intent: Intent): void {
    for (const at of [intent.at, `${intent.at}.old`]) {
      const stats = this.#at(at)
      if (!stats) continue
      const file = join(this.#root, at)
      if (stats.isDirectory()) continue
      const isOurs = stats.ino === intent.ino && isVersionOf({ file, from: null, to: intent.to })
      if (!isOurs && !this.#isAsExpected(intent, at, stats) && !isVersionOf({ ...intent, file })) {
        this.#rescued.take(file, intent.path)
      }
      rmSync(file, { force: true })
    }
  }

  #isAsExpected(intent: Intent, at: string, now: Stats): boolean {
    if (!intent.old || !sameIdentity(now, intent.old)) return false
    return !intent.racy || entryAt(join(this.#root, at))?.hash === intent.from?.hash
  }

  #at(at: string): Stats | undefined {
    return lstatSync(join(this.#root, at), { throwIfNoEntry: false })
  }

  // The spelling of this disk is not known yet. Where it matters the file is not found, and so left to the scan.
  #disk(path: WorkspacePath): string {
    return join(this.#root, path)
  }
}

function foldersIn(folder: string): string[] {
  // Through a link we would tidy up somewhere else.
  const isReal = [join(folder, '..'), folder].every((part) =>
    lstatSync(part, { throwIfNoEntry: false })?.isDirectory(),
  )
  if (!isReal) return []
  const within = readdirSync(folder, { withFileTypes: true })
  return within.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** Without force: a folder that somehow holds more than our notes is left alone. */
function removeTaken(folder: string): void {
  const more = readdirSync(folder).filter((name) => name !== 'intents' && name !== 'done')
  if (more.length === 0) rmSync(folder, { recursive: true })
}
