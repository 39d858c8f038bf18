import type { Dice } from './dice.ts'

/** What a bad network does to a connection. The first five end it, sooner or later; the last two only slow it down. */
export const mishaps = ['cut', 'reset', 'stall', 'half-close', 'deaf', 'delay', 'trickle'] as const
export type Mishap = (typeof mishaps)[number]

/** The mishap of a connection, after so many bytes or so much time, whichever is sooner. */
export type PlannedMishap = { mishap: Mishap; afterBytes: number; afterMs: number; delayMs: number }

export type NetworkConditions = {
  mishaps: readonly [Mishap, ...Mishap[]]
  /** A mishap comes within so many bytes and so much time, whichever is sooner. */
  within: { bytes: number; ms: number }
}

export const badConditions: NetworkConditions = { mishaps, within: { bytes: 20_000, ms: 250 } }

export function planMishap(dice: Dice, { mishaps, within }: NetworkConditions): PlannedMishap {
  return {
    mishap: dice.pick(mishaps),
    afterBytes: dice.between(0, within.bytes),
    afterMs: dice.between(0, within.ms),
    delayMs: dice.between(1, within.ms),
  }
}

export const isFatal = (mishap: Mishap): boolean => mishap !== 'delay' && mishap !== 'trickle'
