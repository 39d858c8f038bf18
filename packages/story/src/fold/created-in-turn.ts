import type { ChangedPath, Item } from '../items/story.ts'

/** The item and the place in its list. */
type Place = { at: number; nth: number; path: string }

/**
 * The files that closed items of this turn have as created, found by their contents: looking at all of them for each deletion would
 * be slow.
 */
export class CreatedInTurn {
  #turn = 0
  #indexed = 0
  readonly #byPath = new Map<string, Place[]>()
  /** For each hash, the places whose file may have it: the one to take first is last. */
  readonly #byHash = new Map<string, Place[]>()

  /** Takes what was closed since the last call: every item but the newest, which still grows. */
  index(items: readonly Item[], turn: number, hashOf: (path: string) => string | undefined): void {
    if (turn !== this.#turn) this.#clear()
    this.#turn = turn
    for (; this.#indexed < items.length - 1; this.#indexed += 1) {
      const item = items[this.#indexed]!
      // A message that waited for the turn to begin: what is before it belongs to an earlier one.
      if (item.id <= turn) this.#clear()
      else if (item.kind === 'files') this.#addAll(item.files, this.#indexed, hashOf)
    }
  }

  /** A file has other contents now. */
  moved(path: string, hash: string): void {
    for (const place of this.#byPath.get(path) ?? []) this.#put(place, hash)
  }

  /** Takes the first of the created files that has these contents and fits. */
  take(hash: string, fits: (place: Place) => boolean): Place | null {
    const places = this.#byHash.get(hash)
    for (let place = places?.pop(); place; place = places?.pop()) if (fits(place)) return place
    return null
  }

  #addAll(files: readonly ChangedPath[], at: number, hashOf: (path: string) => string | undefined): void {
    for (let nth = files.length - 1; nth >= 0; nth -= 1) {
      const { path, action } = files[nth]!
      if (action !== 'created') continue
      const [places, hash] = [this.#byPath.get(path), hashOf(path)]
      const place = { at, nth, path }
      if (places) places.push(place)
      else this.#byPath.set(path, [place])
      if (hash !== undefined) this.#put(place, hash)
    }
  }

  #put(place: Place, hash: string): void {
    const places = this.#byHash.get(hash) ?? []
    this.#byHash.set(hash, places)
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(place, places[middle]!)) low = middle + 1
      else high = middle
    }
    places.splice(low, 0, place)
  }

  #clear(): void {
    this.#byPath.clear()
    this.#byHash.clear()
  }
}

/** Newer items come first, and in an item the files in their order. */
const isBefore = (one: Place, other: Place) =>
  one.at > other.at || (one.at === other.at && one.nth < other.nth)
