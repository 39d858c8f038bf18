import { pathIn } from '../workspace/path-parts.ts'
import type { RootFolder } from '../workspace/root-folder.ts'
import { HubDataFolders } from './hub-data-folders.ts'
import { type IgnoreFile, type IgnoreRules, ignoreFiles } from './ignore-rules.ts'
import { readRules } from './read-rules.ts'
import type { WithheldFiles, WithheldWhy } from './withheld-files.ts'

/**
 * Paths that are not synced, with any content: an ignore rule says so, a hub keeps its data there (S9), or the user has not
 * allowed them yet.
 */
export class Exclusions {
  readonly hubData: HubDataFolders
  readonly #root: RootFolder
  readonly #rules: IgnoreRules
  readonly #withheld: WithheldFiles

  constructor(root: RootFolder, rules: IgnoreRules, withheld: WithheldFiles) {
    this.hubData = new HubDataFolders(root)
    this.#root = root
    this.#rules = rules
    this.#withheld = withheld
  }

  /** Why this path is not synced; null if it is. */
  why(path: string): 'hub-data' | 'ignored' | WithheldWhy | null {
    if (this.hubData.hold(path)) return 'hub-data'
    const why = this.whyExcluded(path, false)
    if (why === null || why === 'ignored') return why
    // Where nothing of the user's is left there is nothing to hold back: what the run has may come.
    return this.#root.isThere(path) ? why : null
  }

  /** Why this file or folder is left out, by the rules or for want of consent; null if it is not. */
  whyExcluded(path: string, isFolder: boolean): 'ignored' | WithheldWhy | null {
    if (this.#rules.ignores(path, isFolder)) return 'ignored'
    const why = this.#withheld.why(path)
    // A file that git tracks was added by the user.
    return why && !this.#rules.tracks(path, isFolder) ? why : null
  }

  /** Reads the rules in a folder with these names in it. Says whether they have changed. */
  readAll(folder: string, names: readonly string[]): boolean {
    return ignoreFiles.filter((file) => this.#read(folder, file, names.includes(file))).length > 0
  }

  /** Reads the rules at this path, if it is one where rules are. Says whether they have changed. */
  readAt(path: string, folder: string, isThere: boolean): boolean {
    const file = ignoreFiles.find((name) => path === pathIn(folder, name))
    return file !== undefined && this.#read(folder, file, isThere)
  }

  #read(folder: string, file: IgnoreFile, isThere: boolean): boolean {
    return this.#rules.set(folder, file, isThere ? readRules(`${this.#root.place(folder)}/${file}`) : null)
  }
}
