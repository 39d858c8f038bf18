import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const most = 500

/** The messages that the user has typed, one JSON string per line. Only the user may read it, and it may be lost. */
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
      // No history yet, or unreadable: then there is nothing to go back to.
      return []
    }
  }

  add(entry: string): void {
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
      appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch {
      // A full disk, for example. The message itself is in the log of its run.
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
