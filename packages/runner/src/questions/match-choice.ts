import { plainLine } from '@farhand/protocol/text/plain-text'
import type { ShownChoice } from './choices-of.ts'

/**
 * The option that an answer means: by its id, its name, either ignoring case, or its number from 1. Null if there is
 * none, `several` if it could be two: an answer is never guessed.
 */
export function chosen(choices: readonly ShownChoice[], answer: unknown): ShownChoice | 'several' | null {
  if (typeof answer === 'number') return choices[answer - 1] ?? null
  if (typeof answer !== 'string') return null
  const said = plainLine(answer)
  const lower = said.toLowerCase()
  const ways: ((choice: ShownChoice) => boolean)[] = [
    ({ value, shown }) => value === answer || shown.optionId === answer,
    ({ shown }) => shown.name === said,
    ({ value, shown }) =>
      [value, shown.optionId, shown.name].some((one) => plainLine(one).toLowerCase() === lower),
  ]
  for (const way of ways) {
    const meant = choices.filter(way)
    if (meant.length > 0) return meant.length === 1 ? meant[0]! : 'several'
  }
  const number = /^#?(\d{1,3})[.)]?$/.exec(said)?.[1]
  return number === undefined ? null : (choices[Number(number) - 1] ?? null)
}
