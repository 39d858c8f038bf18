import type { RewindPlan } from './rewind-points.ts'

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

/** What a rewind will do, one sentence for each part. */
export function rewindPlanInWords(
  { back, unknown, forgotten, known }: RewindPlan,
  withConversation: boolean,
): string[] {
  const words: string[] = []
  const gone = back.filter(({ before }) => before === null).length
  const put = back.length - gone
  if (back.length === 0) words.push('The files are as they were then.')
  if (put > 0) words.push(`${counted(put, 'file')} will be as ${put === 1 ? 'it was' : 'they were'} then.`)
  if (gone > 0)
    words.push(`${counted(gone, 'file')} that came later will be deleted, and can be put back any time.`)
  if (unknown.length > 0)
    words.push(`${counted(unknown.length, 'file')} will stay: the log does not say what was there before.`)
  if (!withConversation) words.push('The agent still knows the whole conversation.')
  else if (forgotten + known === 0) words.push('Nothing of the conversation changes.')
  if (withConversation && forgotten > 0) words.push(`The agent will forget ${counted(forgotten, 'message')}.`)
  if (withConversation && known > 0) words.push(`The agent will know ${counted(known, 'message')} again.`)
  return words
}

/** Whether a rewind would change anything. */
export const isAnyChange = ({ back, forgotten, known }: RewindPlan, withConversation: boolean): boolean =>
  back.length > 0 || (withConversation && forgotten + known > 0)
