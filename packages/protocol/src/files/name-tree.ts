const none = -1

// Mixed into the places of the hash table, so that an attacker cannot choose names that all get the same place. It
// changes how long a lookup takes and never what is found.
const tableSecret = crypto.getRandomValues(new Int32Array(1))[0]!

/**
 * A tree of names, with a number for each, in little memory: 100,000 of them take about 8 MB. The root is 0, the others
 * are numbered in the order of their creation, so that a caller can keep its own data of each name in arrays.
 */
export class NameTree {
  readonly #names: string[] = ['']
  #parents = new Int32Array(64).fill(none)
  /** Children form a ring; a folder points to the last, and the first comes after it. */
  #last = new Int32Array(64).fill(none)
  #next = new Int32Array(64)
  /** Linked list of the names that share a place of the hash table. */
  #same = new Int32Array(64)
  #table = new Int32Array(128).fill(none)

  /** The folder that it is in, -1 for the root. */
  parent(of: number): number {
    return this.#parents[of]!
  }

  path(of: number): string {
    let path = this.#names[of]!
    for (let above = this.#parents[of]!; above > 0; above = this.#parents[above]!)
      path = `${this.#names[above]}/${path}`
    return path
  }

  /** The child whose name is this piece of a path, -1 if there is none. */
  child(parent: number, path: string, start: number, end: number): number {
    return this.#childAt(this.#placeOf(parent, path, start, end), parent, path, start, end)
  }

  /** The child whose name is this piece of a path; created if there is none. */
  grow(parent: number, path: string, start: number, end: number): number {
    // First: it makes another table, in which places differ.
    if (this.#names.length >= this.#parents.length) this.#makeRoom()
    const place = this.#placeOf(parent, path, start, end)
    const known = this.#childAt(place, parent, path, start, end)
    if (known !== none) return known
    const at = this.#names.length
    this.#names[at] = ownCopy(path.slice(start, end))
    this.#parents[at] = parent
    this.#last[at] = none
    this.#join(at, parent)
    this.#enter(at, place)
    return at
  }

  /** In the order of their creation. */
  *children(of: number): Generator<number> {
    const last = this.#last[of]!
    if (last === none) return
    let at = last
    do {
      at = this.#next[at]!
      yield at
    } while (at !== last)
  }

  hasChildren(of: number): boolean {
    return this.#last[of] !== none
  }

  #join(at: number, parent: number): void {
    const last = this.#last[parent]!
    this.#next[at] = last === none ? at : this.#next[last]!
    if (last !== none) this.#next[last] = at
    this.#last[parent] = at
  }

  #is(at: number, parent: number, path: string, start: number, end: number): boolean {
    const name = this.#names[at]!
    return this.#parents[at] === parent && name.length === end - start && path.startsWith(name, start)
  }

  #childAt(place: number, parent: number, path: string, start: number, end: number): number {
    let at = this.#table[place]!
    while (at !== none && !this.#is(at, parent, path, start, end)) at = this.#same[at]!
    return at
  }

  #enter(at: number, place: number): void {
    this.#same[at] = this.#table[place]!
    this.#table[place] = at
  }

  #placeOfName(at: number): number {
    const name = this.#names[at]!
    return this.#placeOf(this.#parents[at]!, name, 0, name.length)
  }

  #placeOf(parent: number, path: string, start: number, end: number): number {
    let mixed = tableSecret ^ Math.imul(parent + 1, 0x9e3779b1)
    for (let at = start; at < end; at++) mixed = Math.imul(mixed ^ path.charCodeAt(at), 16777619)
    return (mixed ^ (mixed >>> 15)) & (this.#table.length - 1)
  }

  #makeRoom(): void {
    const count = Math.ceil((this.#parents.length * 3) / 2)
    this.#parents = longer(this.#parents, count)
    this.#last = longer(this.#last, count)
    this.#next = longer(this.#next, count)
    this.#same = longer(this.#same, count)
    if (count <= this.#table.length) return
    this.#table = new Int32Array(this.#table.length * 2).fill(none)
    for (let at = 1; at < this.#names.length; at++) this.#enter(at, this.#placeOfName(at))
  }
}

/** The same numbers with room for more. */
export function longer<Kind extends Int32Array | Uint8Array | Float64Array>(
  from: Kind,
  length: number,
): Kind {
  const to = new (from.constructor as new (length: number) => Kind)(length)
  to.set(from)
  return to
}

/** A copy of a text. A long slice of a string keeps the whole string in memory; a string parsed from JSON does not. */
export const ownCopy = (piece: string): string =>
  piece.length < 13 ? piece : JSON.parse(JSON.stringify(piece))
