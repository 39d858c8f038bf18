import type { ChangedPath, FilesItem, Item } from '../items/story.ts'
import type { ChangedRow } from './renames.ts'

/** What was added to a text, or is new among files, after the reader took the item as `since`. */
export type FreshPart = { since: Item; text: string } | { since: Item; files: readonly ChangedPath[] }

/** Of items that grow, what a reader has not taken yet: looking at a whole item for each event would be slow. */
export class FreshParts {
  /** By the index of the item. */
  readonly texts = new Map<number, { since: Item; text: string }>()
  readonly files = new Map<number, FreshFiles>()
  readonly renamed = new Map<number, { since: Item; files: ChangedPath[] }>()

  addText(at: number, since: Item, text: string): void {
    const known = this.texts.get(at)
    if (known) known.text += text
    else this.texts.set(at, { since, text })
  }

  addRenamed(at: number, since: Item, renames: ReadonlyMap<number, ChangedPath>): void {
    const inOrder = [...renames].sort(([a], [b]) => a - b).map(([, file]) => file)
    const [open, known] = [this.files.get(at), this.renamed.get(at)]
    if (open) for (const file of inOrder) open.rename(file)
    else if (known) known.files.push(...inOrder)
    else this.renamed.set(at, { since, files: inOrder })
  }

  of(at: number, item: Item): FreshPart | null {
    const renamed = this.renamed.get(at)
    if (renamed) return renamed
    const files = this.files.get(at)
    return (item.kind === 'files' && files?.take(item)) || (this.texts.get(at) ?? null)
  }
}

/** The files of an item that a reader has taken, and those that changed since. */
export class FreshFiles {
  readonly #rows: ReadonlyMap<string, ChangedRow>
  #since: FilesItem
  readonly #paths: string[] = []
  /** For each path its place in that list, and the action that the reader knows. */
  readonly #known = new Map<string, { nth: number; action: ChangedPath['action'] | null }>()
  /** The places of files with the same contents, in order: the first of both lists are the renames. */
  readonly #byHash = new Map<string, Same>()
  /** The new names whose old ones went after the item was closed. */
  readonly #late = new Map<number, ChangedPath>()
  readonly #touched = new Set<number>()

  constructor(rows: ReadonlyMap<string, ChangedRow>, item: FilesItem) {
    this.#rows = rows
    this.#since = item
    for (const row of rows.values()) this.put(row, undefined)
    this.#freshOf(item.files)
    this.#touched.clear()
  }

  put(row: ChangedRow, before: ChangedRow | undefined): void {
    const { path } = row
    const { nth } = this.#known.get(path) ?? { nth: this.#paths.push(path) - 1 }
    if (!this.#known.has(path)) this.#known.set(path, { nth, action: null })
    if (before) this.#index(before, (places) => places.splice(indexOf(places, nth), 1))
    this.#index(row, (places) => places.splice(indexOf(places, nth), 0, nth))
    this.#touched.add(nth)
  }

  rename(file: ChangedPath): void {
    const { nth } = this.#known.get(file.path)!
    this.#late.set(nth, file)
    this.#touched.add(nth)
  }

  take(item: FilesItem): FreshPart {
    const since = this.#since
    this.#since = item
    const files = this.#freshRows()
    this.#touched.clear()
    return { since, files }
  }

  #freshRows(): ChangedPath[] {
    const inOrder = [...this.#touched].sort((a, b) => a - b)
    return this.#freshOf(inOrder.flatMap((nth) => this.#shown(nth)))
  }

  /** As `withRenames` shows it among all files; nothing if it is the old name of a renamed one. */
  #shown(nth: number): ChangedPath[] {
    const late = this.#late.get(nth)
    if (late) return [late]
    const path = this.#paths[nth]!
    const { action, hash } = this.#rows.get(path)!
    const same = hash === null ? undefined : this.#byHash.get(hash)
    if (action === 'modified' || !same) return [{ path, action }]
    const rank = indexOf(same[action], nth)
    if (rank >= renamesOf(same)) return [{ path, action }]
    if (action === 'created') return [{ path, action: 'renamed', from: this.#paths[same.deleted[rank]!]! }]
    this.#known.get(path)!.action = null
    return []
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
  #index({ action, hash }: ChangedRow, change: (places: number[]) => void): void {
    if (action === 'modified' || hash === null) return
    const same = this.#byHash.get(hash) ?? { deleted: [], created: [] }
    this.#byHash.set(hash, same)
    this.#touchEdge(same)
    change(same[action])
    this.#touchEdge(same)
  }

  /** One file more or less changes others of the same contents only where the renames end. */
  #touchEdge(same: Same): void {
    const edge = renamesOf(same)
    for (const nth of [
      same.deleted[edge - 1],
      same.deleted[edge],
      same.created[edge - 1],
      same.created[edge],
    ])
      if (nth !== undefined) this.#touched.add(nth)
  }
}

type Same = { deleted: number[]; created: number[] }

const renamesOf = ({ deleted, created }: Same) => Math.min(deleted.length, created.length)

/** Where a number is in an ascending list, or would be. */
function indexOf(ascending: readonly number[], wanted: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ascending[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}
