import { HubDataFolders } from './hub-data-folders.ts'
import { type IgnoreFile, type IgnoreRules, ignoreFiles } from './ignore-rules.ts'
import { readRules } from './read-rules.ts'
import { nameIn, type RootFolder } from './root-folder.ts'

/** What says of a path, whatever is there, that it is none of ours: a rule that somebody wrote, or a hub's data (S9). */
export class Outside {
  readonly hubs: HubDataFolders
  readonly #root: RootFolder
  readonly #rules: IgnoreRules

  constructor(root: RootFolder, rules: IgnoreRules) {
    this.hubs = new HubDataFolders(root)
    this.#root = root
    this.#rules = rules
  }

  /** Why this path is none of ours; null if nothing says so. */
  why(path: string): 'hub-data' | 'ignored' | null {
    if (this.hubs.hold(path)) return 'hub-data'
    return this.#rules.ignores(path, false) ? 'ignored' : null
  }

  /** Reads the rules in a folder with these names in it. Says whether they have changed. */
  readAll(folder: string, names: readonly string[]): boolean {
    return ignoreFiles.filter((file) => this.#read(folder, file, names.includes(file))).length > 0
  }

  /** Reads the rules at this path, if it is one where rules are. Says whether they have changed. */
  readAt(path: string, folder: string, isThere: boolean): boolean {
    const file = ignoreFiles.find((name) => path === nameIn(folder, name))
    return file !== undefined && this.#read(folder, file, isThere)
  }

  #read(folder: string, file: IgnoreFile, isThere: boolean): boolean {
    return this.#rules.set(folder, file, isThere ? readRules(`${this.#root.place(folder)}/${file}`) : null)
  }
}
