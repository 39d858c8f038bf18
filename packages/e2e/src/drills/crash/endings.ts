import type { Dice } from '@farhand/testkit/dice'

/** How one life of the hub ends. */
export type Ending =
  /** While it is still starting. */
  | { when: 'starting'; afterMs: number }
  /** In the middle of its work: so many answers in, and then a moment more, since answers come right after flushes. */
  | { when: 'working'; afterAnswers: number; thenMs: number }
  /** While it is stopping because it was asked to. */
  | { when: 'stopping'; afterAnswers: number; thenMs: number }

export function chooseEnding(dice: Dice, startMs: number): Ending {
  const place = dice.next()
  if (place < 0.15) return { when: 'starting', afterMs: dice.next() * startMs * 1.1 }
  const thenMs = dice.next() * dice.pick([0, 2, 10])
  if (place < 0.3) return { when: 'working', afterAnswers: 0, thenMs: dice.next() * 30 }
  if (place < 0.9) return { when: 'working', afterAnswers: dice.between(1, 120), thenMs }
  return { when: 'stopping', afterAnswers: dice.between(1, 50), thenMs: dice.next() * 40 }
}
