import { seededRandom } from '@farhand/kit/seeded-random'

/** Chance that can be had again: the same seed gives the same throws. */
export class Dice {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  /** A whole number; both ends can come. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.between(0, values.length - 1)]!
  }

  /** Dice for someone else, so that the order in which two people throw does not change what either gets. */
  fork(): Dice {
    return new Dice(Math.floor(this.next() * 2 ** 32))
  }
}
