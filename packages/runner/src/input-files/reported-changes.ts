import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { FileChanged } from '../briefing/files-changed-notice.ts'

const mostPaths = 10_000

/** Files that the embedding program reports as changed, until the agent is told. They survive the process. */
export class ReportedChanges {
  readonly #file: string
  #paths: Set<string>

  /** `notes` is the folder for the saved paths. */
  constructor(notes: string) {
    mkdirSync(notes, { recursive: true, mode: 0o700 })
    this.#file = path.join(notes, 'told-changes.json')
    this.#paths = new Set(readPaths(this.#file))
  }

  tell(paths: readonly string[]): void {
    this.#paths = new Set([...this.#paths, ...paths].slice(-mostPaths))
    writeFileSync(`${this.#file}.draft`, JSON.stringify([...this.#paths]), { mode: 0o600 })
    renameSync(`${this.#file}.draft`, this.#file)
  }

  /** The files reported since the last call. */
  take(): FileChanged[] {
    if (this.#paths.size === 0) return []
    const told = [...this.#paths].map((path) => ({ path, by: 'someone' }))
    this.#paths.clear()
    rmSync(this.#file, { force: true })
    return told
  }
}

function readPaths(file: string): string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Nothing was reported, or the file cannot be read.
    return []
  }
}
