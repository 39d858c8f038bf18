import { seededRandom } from '@farhand/kit/seeded-random'

/** Repeatable randomness: the same seed gives the same numbers. */
export class Dice {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.between(0, values.length - 1)]!
  }

  /** A second, independent series of numbers: it stays the same, no matter in which order two users of dice take theirs. */
  fork(): Dice {
    return new Dice(Math.floor(this.next() * 2 ** 32))
  }
}
