import { nameOf, parentOf } from '../workspace/path-parts.ts'
import type { RootFolder } from '../workspace/root-folder.ts'
import { hubDataNames, isHubData } from './hub-data.ts'

const signs: readonly string[] = hubDataNames

/** What a folder has turned out to be: one that a hub keeps its data in, one no longer, or what it was. */
type Turned = 'hubs' | 'free' | null

/** The folders in a workspace in which a hub keeps its data: never synced, at any depth, like those of git (S9). */
export class HubDataFolders {
  readonly #root: RootFolder
  readonly #found = new Set<string>()

  constructor(root: RootFolder) {
    this.#root = root
  }

  /** Whether this path lies in one of them. */
  hold(path: string): boolean {
    if (this.#found.size === 0) return false
    for (let at = path; at !== ''; ) {
      at = parentOf(at)
      if (this.#found.has(at)) return true
    }
    return false
  }

  /** Takes the names in a folder, and returns what it has turned out to be; 'hubs' at every call, not only at the first. */
  listed(folder: string, names: readonly string[]): Turned {
    return this.#note(folder, signs.every((name) => names.includes(name)) && this.#isOne(folder))
  }

  /** The scan looks at this path: if it is a file of a hub, returns what its folder has turned out to be. */
  noticed(path: string): Turned {
    if (!path.endsWith('.sqlite') || !signs.includes(nameOf(path))) return null
    const folder = parentOf(path)
    const wasOne = this.#found.has(folder)
    const turned = this.#note(folder, this.#isOne(folder))
    return turned === 'hubs' && wasOne ? null : turned
  }

  /** This path is gone, with all that was below it. */
  forget(path: string): void {
    for (const folder of this.#found) {
      if (folder === path || folder.startsWith(`${path}/`)) this.#found.delete(folder)
    }
  }

  #isOne(folder: string): boolean {
    return isHubData(this.#root.place(folder))
  }

  #note(folder: string, isOne: boolean): Turned {
    if (!isOne) return this.#found.delete(folder) ? 'free' : null
    this.#found.add(folder)
    return 'hubs'
  }
}
