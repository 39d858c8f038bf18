import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathsInGitIndex } from './paths-in-git-index.ts'

/**
 * The files that git tracks (S9), read from its index at the first question: a folder without ignore rules never
 * needs it.
 */
export class TrackedFiles {
  readonly #repository: () => { gitFolder: string; inside: string } | null
  #files: Set<string> | null = null
  #folders = new Set<string>()

  /** `inside` leads from the top of the repository to the folder that the paths are of, with a slash at its end. */
  constructor(repository: () => { gitFolder: string; inside: string } | null) {
    this.#repository = repository
  }

  has(path: string): boolean {
    return this.#load().has(path)
  }

  hasBelow(folder: string): boolean {
    this.#load()
    return this.#folders.has(folder)
  }

  /** Reads the index again, and says which paths are tracked now and were not, or the other way round. */
  reload(): string[] {
    if (!this.#files) return []
    const before = this.#files
    this.#files = null
    const now = this.#load()
    return [...[...now].filter((path) => !before.has(path)), ...[...before].filter((path) => !now.has(path))]
  }

  #load(): Set<string> {
    if (this.#files) return this.#files
    this.#files = new Set(this.#read())
    this.#folders = new Set()
    for (const path of this.#files) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        const folder = path.slice(0, end)
        if (this.#folders.has(folder)) break
        this.#folders.add(folder)
      }
    }
    return this.#files
  }

  *#read(): Generator<string> {
    const { gitFolder: folder, inside } = this.#repository() ?? {}
    const index = folder !== undefined && join(folder, 'index')
    if (!index || !statSync(index, { throwIfNoEntry: false })) return
    try {
      for (const path of pathsInGitIndex(readFileSync(index), (shared) => readFileSync(join(folder, shared))))
        if (path.startsWith(inside!)) yield path.slice(inside!.length)
    } catch {
      // Git replaces its index while we read, or writes a kind of it we do not know: then nothing counts as tracked.
    }
  }
}
