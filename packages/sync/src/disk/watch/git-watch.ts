import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '../git/git-position.ts'
import type { TrackedFiles } from '../git/tracked-files.ts'
import type { IgnoreRules } from '../rules/ignore-rules.ts'
import { readExcludes } from '../rules/read-rules.ts'
import type { RepositoryAround } from '../rules/repository-around.ts'

const settleMs = 100

/** Notices when git has done something: tracked files, ignore rules and HEAD may have changed. */
export class GitWatch {
  readonly #repository: () => RepositoryAround | null
  readonly #rules: IgnoreRules
  readonly #tracked: TrackedFiles
  readonly #moved: (rulesChanged: boolean) => void
  readonly #excludes: string | undefined
  #watcher: FSWatcher | null = null
  #watched: string | null = null
  #timer: NodeJS.Timeout | null = null
  #index = ''

  /** `moved` is told whether something else is ignored now; `excludes` is the user's ignore file for all repositories. */
  constructor(
    repository: () => RepositoryAround | null,
    rules: IgnoreRules,
    tracked: TrackedFiles,
    moved: (rulesChanged: boolean) => void,
    excludes?: string,
  ) {
    this.#excludes = excludes
    this.#repository = repository
    this.#rules = rules
    this.#tracked = tracked
    this.#moved = moved
  }

  /** Looks whether anything is ignored now that was not, or the other way round. */
  refresh(): boolean {
    const repository = this.#repository()
    const folder = repository?.gitFolder ?? null
    if (folder !== this.#watched) this.#watchAnew(folder)
    const index = folder ? versionOf(join(folder, 'index')) : ''
    const tracked = index === this.#index ? [] : this.#tracked.reload()
    this.#index = index
    const isTop = repository?.inside === ''
    const excluded = isTop ? read(join(sharedFolder(repository.gitFolder), 'info/exclude')) : ''
    const isNew = this.#rules.exclude(excluded)
    const isNewAround = this.#rules.around(repository?.rules ?? [])
    const isUsersNew = this.#rules.exclude(readExcludes(this.#excludes), 'user')
    return isNew || isNewAround || isUsersNew || tracked.some((path) => this.#rules.matches(path, false))
  }

  close(): void {
    this.#watcher?.close()
    if (this.#timer) clearTimeout(this.#timer)
  }

  #watchAnew(folder: string | null): void {
    this.#watcher?.close()
    this.#watcher = null
    this.#watched = folder
    if (!folder) return
    try {
      this.#watcher = watch(folder, () => {
        this.#timer ??= setTimeout(() => {
          this.#timer = null
          this.#moved(this.refresh())
        }, settleMs)
      })
      this.#watcher.on('error', () => {})
    } catch {
      // No more watches, or gone again: every scan asks too.
    }
  }
}

function versionOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Most repositories have none.
    return ''
  }
}
