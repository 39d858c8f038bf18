import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const most = 500

/** What one user has typed to agents, a line of JSON each; nobody else may read it, and nothing depends on it. */
export class HistoryFile {
  readonly #file: string

  constructor(stateFolderPath: string) {
    this.#file = path.join(stateFolderPath, 'typed-history')
  }

  /** The newest entries, oldest first. */
  read(): string[] {
    try {
      const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)
      if (lines.length > 2 * most) this.#shorten(lines.slice(-most))
      return lines.slice(-most).flatMap(entryOf)
    } catch {
      // Nothing has been typed yet, or it cannot be read: then there is nothing to look back at.
      return []
    }
  }

  add(entry: string): void {
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
      appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch {
      // A full disk, maybe: what was typed is in the log of its run.
    }
  }

  #shorten(lines: readonly string[]): void {
    const draft = `${this.#file}.${process.pid}`
    writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600 })
    renameSync(draft, this.#file)
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'string' ? [entry] : []
  } catch {
    // Torn by a crash.
    return []
  }
}
