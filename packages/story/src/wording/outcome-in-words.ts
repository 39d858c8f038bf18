import { plainLine, plainText } from '@farhand/protocol/text/plain-text'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { QuestionItem } from '../items/story.ts'
import { answerInWords } from './answer-in-words.ts'

type Ended = Pick<QuestionItem, 'asked' | 'state' | 'answer' | 'answeredBy' | 'why'>

/** The outcome of a question in words; null while it is open. `own` is what the user pressed on this page. */
export function outcomeInWords(question: Ended, own?: { answer: unknown } | null): string | null {
  const { asked, state, answer, answeredBy } = question
  const why = question.why === null ? null : plainText(question.why)
  const said = answerInWords(asked, answer)
  const by = answeredBy === null ? '' : `, ${answererInWords(answeredBy)}`
  switch (state) {
    case 'open':
      return null
    case 'given':
      return `${answered(own, answer, said)}${by}. It is being sent to the agent.`
    case 'answered':
      return why ? withAnswer(why, answer, said) : `${answered(own, answer, said)}${by}.`
    case 'expired': {
      const taken = answer === null || answer === undefined ? '' : ` “${said}” was taken.`
      return why ? withAnswer(why, answer, said) : `There was no answer in time.${taken}`
    }
    case 'cancelled':
      return why ?? 'The question was cancelled.'
    case 'superseded':
      return 'The agent that asked has stopped. The question was asked again.'
    case 'gone':
      return 'The agent that asked has stopped, so this can no longer be answered.'
  }
}

/** Whether the question was answered or declined; tells the user if another answer came first. */
function answered(own: { answer: unknown } | null | undefined, answer: unknown, said: string): string {
  const isLate = own && JSON.stringify(own.answer) !== JSON.stringify(answer)
  if (isLate) return `Another answer came first: ${said}`
  return answer === null ? 'Declined' : `Answered: ${said}`
}

const withAnswer = (why: string, answer: unknown, said: string) =>
  answer === null || answer === undefined ? why : `${why} (${said})`

/** Who answered, as the end of a sentence. */
function answererInWords(by: SeenAuthor | string): string {
  if (typeof by === 'string') {
    const name = plainLine(by)
    if (name.startsWith('policy:')) return `by the policy ${name.slice('policy:'.length)}`
    return name === 'question' ? 'by default' : `by ${name}`
  }
  switch (by.kind) {
    case 'web':
      // A browser or a terminal: both act for the user.
      return 'by the user'
    case 'device':
      return 'at a computer'
    case 'channel':
      return `in a chat (${by.id})`
    case 'runner':
      return 'by the sandbox'
    case 'hub':
      return 'by the hub'
    case 'other':
      return `by ${by.said}`
  }
}
