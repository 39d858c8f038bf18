import type { ChangedPath, FilesItem, Item } from '../items/story.ts'
import { type ChangedRow, withRenames } from './renames.ts'

/** What was added to a text, or is new among files, after the reader took the item as `since`. */
export type FreshPart = { since: Item; text: string } | { since: Item; files: readonly ChangedPath[] }

/** Of items that grow, what a reader has not taken yet: looking at a whole item for each event would be slow. */
export class FreshParts {
  /** By the index of the item. */
  readonly texts = new Map<number, { since: Item; text: string }>()
  readonly files = new Map<number, FreshFiles>()

  addText(at: number, since: Item, text: string): void {
    const known = this.texts.get(at)
    if (known) known.text += text
    else this.texts.set(at, { since, text })
  }

  of(at: number, item: Item): FreshPart | null {
    const files = this.files.get(at)
    return (item.kind === 'files' && files?.take(item)) || (this.texts.get(at) ?? null)
  }
}

/** The files of an item that a reader has taken, and those that changed since. */
export class FreshFiles {
  readonly #rows: ReadonlyMap<string, ChangedRow>
  #since: FilesItem
  /** For each path its place in the list, and the action that the reader knows. */
  readonly #known = new Map<string, { nth: number; action: ChangedPath['action'] | null }>()
  readonly #byHash = new Map<string, { deleted: Set<string>; created: Set<string> }>()
  readonly #touched = new Set<string>()
  readonly #touchedHashes = new Set<string>()

  constructor(rows: ReadonlyMap<string, ChangedRow>, item: FilesItem) {
    this.#rows = rows
    this.#since = item
    for (const row of rows.values()) this.put(row, undefined)
    this.#freshOf(item.files)
    this.#clear()
  }

  put(row: ChangedRow, before: ChangedRow | undefined): void {
    if (before) this.#index(before, (paths) => paths.delete(row.path))
    this.#index(row, (paths) => paths.add(row.path))
    this.#touched.add(row.path)
    if (!this.#known.has(row.path)) this.#known.set(row.path, { nth: this.#known.size, action: null })
  }

  take(item: FilesItem): FreshPart {
    const since = this.#since
    this.#since = item
    const files = item === since ? this.#freshRows() : this.#freshOf(item.files)
    this.#clear()
    return { since, files }
  }

  #freshRows(): ChangedPath[] {
    const paths = new Set(this.#touched)
    for (const hash of this.#touchedHashes) {
      const { deleted, created } = this.#byHash.get(hash)!
      for (const path of [...deleted, ...created]) paths.add(path)
    }
    const inOrder = [...paths].sort((a, b) => this.#known.get(a)!.nth - this.#known.get(b)!.nth)
    const files = withRenames(inOrder.map((path) => this.#rows.get(path)!))
    const listed = new Set(files.map(({ path }) => path))
    for (const path of inOrder) if (!listed.has(path)) this.#known.get(path)!.action = null
    return this.#freshOf(files)
  }

  #freshOf(files: readonly ChangedPath[]): ChangedPath[] {
    return files.filter(({ path, action }) => {
      const known = this.#known.get(path)!
      const isFresh = known.action !== action
      known.action = action
      return isFresh
    })
  }

  /** Only files of the same contents can be a rename, and only a deleted one with a created one. */
  #index({ action, hash }: ChangedRow, change: (paths: Set<string>) => void): void {
    if (action === 'modified' || hash === null) return
    const same = this.#byHash.get(hash) ?? { deleted: new Set(), created: new Set() }
    this.#byHash.set(hash, same)
    const touch = () => same.deleted.size > 0 && same.created.size > 0 && this.#touchedHashes.add(hash)
    touch()
    change(same[action])
    touch()
  }

  #clear(): void {
    this.#touched.clear()
    this.#touchedHashes.clear()
  }
}
