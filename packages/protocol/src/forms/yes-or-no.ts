import { plainLine } from '../text/plain-text.ts'

const yes = new Set(['yes', 'y', 'ok', 'okay', 'true', 'allow', 'approve', 'accept'])
const no = new Set(['no', 'n', 'false', 'deny', 'reject', 'refuse', 'decline'])

/** Whether an answer means yes or no, as a word or as a boolean; null if neither. */
export function yesOrNo(answer: unknown): boolean | null {
  if (typeof answer === 'boolean') return answer
  if (typeof answer !== 'string') return null
  const word = plainLine(answer).toLowerCase().replace(/[.!]$/, '')
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}
