/** Contents are hashed in steps of this size, except for the last step. */
export const stepBytes = 1024 * 1024
/** The finest difference that can be told: contents are compared in pieces of at most this size. */
export const pieceBytes = 512 * 1024

/** A hash that can be continued from where it stands; a `Hash` of `node:crypto` is one. */
export type RunningHash = {
  update(bytes: Uint8Array): unknown
  copy(): RunningHash
  digest(encoding: 'hex'): string
}

/**
 * What it takes to sum up. `sum` tells pieces apart as surely as a hash does, and faster: two different ones must not
 * have the same, not even if an attacker made them to.
 */
export type Summer = { newHash: () => RunningHash; sum: (piece: Uint8Array) => string }

/** What is remembered of a content, to tell later what is different in another one. */
export type ContentSums = {
  readonly size: number
  readonly hex: string
  /** Of each piece. They are cut at multiples of their size, and at those counted from the end. */
  readonly sums: readonly string[]
  /** The hash as it stood before each step, and at the end. */
  readonly states: readonly RunningHash[]
}

/**
 * Hashes a content step by step. As long as it is the same as another one that was summed up before, only its pieces
 * are compared: the hash is continued from where that one became different.
 */
export class Summing {
  readonly #summer: Summer
  readonly #size: number
  readonly #sums: string[] = []
  readonly #states: RunningHash[] = []
  #like: ContentSums | null
  #hash: RunningHash | null
  #added = 0

  constructor(summer: Summer, size: number, like: ContentSums | null = null) {
    this.#summer = summer
    this.#size = size
    this.#like = like
    this.#hash = like ? null : summer.newHash()
  }

  /** Takes the next step, which has `stepBytes` unless it is the last. Its bytes are not needed any more afterwards. */
  add(step: Uint8Array): void {
    const from = this.#sums.length
    for (const [start, end] of cuts(step.length, this.#size))
      this.#sums.push(this.#summer.sum(step.subarray(start, end)))
    const at = this.#states.length
    const like = this.#like
    // One that is cut short would not leave the hash where the next step of the other content begins.
    const isWhole = step.length === Math.min(stepBytes, this.#size - this.#added)
    this.#added += step.length
    if (like && isWhole && this.#isSame(step, at, from, like)) {
      this.#states.push(like.states[at]!)
      return
    }
    const hash = this.#standing()
    this.#states.push(hash.copy())
    hash.update(step)
  }

  /**
   * Everything was added; nothing can be added any more. If there were fewer bytes than was said, `hex` is theirs, and
   * the rest says nothing.
   */
  end(): ContentSums {
    const like = this.#like
    const same = like?.size === this.#added ? like : null
    const hash = same ? same.states.at(-1)! : this.#standing()
    this.#states.push(hash.copy())
    const hex = same ? same.hex : hash.digest('hex')
    return { size: this.#added, hex, sums: this.#sums, states: this.#states }
  }

  /** The hash of what came before this step, which is the first one that is different. */
  #standing(): RunningHash {
    this.#hash ??= this.#like!.states[this.#states.length]!.copy()
    this.#like = null
    return this.#hash
  }

  #isSame(step: Uint8Array, at: number, from: number, like: ContentSums): boolean {
    if (like.size === this.#size) {
      for (let nth = from; nth < this.#sums.length; nth++)
        if (this.#sums[nth] !== like.sums[nth]) return false
      return true
    }
    // Where the other one ends within this step there is nothing to continue from but what came before it.
    if (step.length < stepBytes || (at + 1) * stepBytes > like.size) return false
    const pieces = [...cuts(stepBytes, like.size)]
    return pieces.every(
      ([start, end], nth) =>
        this.#summer.sum(step.subarray(start, end)) === like.sums[at * pieces.length + nth],
    )
  }
}

/** Where a step is cut into pieces, for a content of this size. All steps but the last are cut alike. */
export function* cuts(length: number, size: number): Generator<[start: number, end: number]> {
  const rest = size % pieceBytes
  for (let at = 0; at < length; at += pieceBytes) {
    const end = Math.min(at + pieceBytes, length)
    if (rest > 0 && at + rest < end) {
      yield [at, at + rest]
      yield [at + rest, end]
    } else yield [at, end]
  }
}

/** A stretch of a content. */
export type Stretch = { start: number; end: number }

/** What is different between two contents of the same size, in order. */
export function differences(one: ContentSums, other: ContentSums): Stretch[] {
  const found: Stretch[] = []
  let nth = 0
  for (const [start, end] of cuts(one.size, one.size)) {
    if (one.sums[nth] !== other.sums[nth]) extend(found, start, end)
    nth++
  }
  return found
}

function extend(found: Stretch[], start: number, end: number): void {
  const last = found.at(-1)
  if (last?.end === start) last.end = end
  else found.push({ start, end })
}
