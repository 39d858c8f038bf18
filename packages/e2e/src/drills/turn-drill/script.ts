import type { Dice } from '@farhand/testkit/dice'

/** Words by which what an agent does is found again: each is used once in a whole drill. */
export type Words = { next(): string }

export const countedWords = (): Words => {
  let count = 0
  return {
    next: () => {
      count += 1
      return `w${count}w`
    },
  }
}

const sentences: readonly [(word: string) => string, ...((word: string) => string)[]] = [
  (word) => `say ${word}`,
  (word) => `say ${word}`,
  (word) => `append ${word} to log.txt`,
  (word) => `ask permission to write ${word}.txt with "${word}"`,
  (word) => `ask "Which ${word}?" with options red-${word}, blue-${word}`,
  () => 'think for 0.2 seconds',
  () => 'say 30 chunks of 40 bytes at 100 a second',
]

/** What a message asks of the agent: a few small things, and now and then its end. */
export function writeScript(dice: Dice, words: Words): string {
  const lines = Array.from({ length: dice.between(1, 4) }, () => dice.pick(sentences)(words.next()))
  if (dice.chance(0.06)) lines.push('crash')
  return lines.join('\n')
}

/** What the agent says in so many words if it does all of it. */
export const wordsSaid = (script: string) => [...script.matchAll(/^say (w\d+w)$/gm)].map(([, word]) => word!)

export const wordsAppended = (script: string) =>
  [...script.matchAll(/^append (w\d+w) to/gm)].map(([, word]) => word!)
