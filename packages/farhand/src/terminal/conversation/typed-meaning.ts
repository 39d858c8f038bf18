import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { AgentOffers } from '../agent-controls/agent-offers.ts'
import { unknownCommandInWords } from '../agent-controls/slash-commands.ts'
import { type Asked, answersInWords, answerTyped } from '../questions/question-in-words.ts'

/** What a typed line does. */
export type Meaning =
  | { is: 'nothing' | 'detach' | 'cancel' | 'close' | 'help' | 'more' }
  | { is: 'mode'; name: string }
  /** A setting of the agent: its model, or any other. */
  | { is: 'model' | 'set'; said: string }
  | { is: 'steer'; content: string }
  | { is: 'message'; content: string }
  | { is: 'answer'; question: OpenQuestion; answer: unknown; isDefault: boolean }
  /** The line has no effect; `why` is shown to the user. */
  | { is: 'no answer' | 'mistyped'; why: string }
  /** The same, and the open question is shown again. */
  | { is: 'not used'; why: string }

export type Circumstances = {
  /** The question that the user was asked when they typed the line. */
  question: OpenQuestion | null
  /** Whether the user has chosen between the question and a message; else the question is a guess. */
  isSure: boolean
  /** The questions that are open now. */
  open: readonly OpenQuestion[]
  offers: AgentOffers
}

/** What a line means to a user who was asked this. A line for one question never answers another. */
export function typedMeaning(typed: string, { question, isSure, open, offers }: Circumstances): Meaning {
  const line = typed.trim()
  const isOpen = open.some(({ questionId }) => questionId === question?.questionId)
  if (line === '' && !(question && isOpen)) return { is: 'nothing' }
  const command = line === '' ? null : commandMeant(line)
  if (command) return command
  if (question && isOpen) return splitAnswer(question, line)
  const isAnswer = question !== null && (isSure || answerTyped(question, line) !== null)
  if (isAnswer || (open.length > 0 && !isSure)) return { is: 'not used', why: notUsed(question) }
  const mistyped = unknownCommandInWords(line, offers)
  return mistyped === null ? { is: 'message', content: line } : { is: 'mistyped', why: mistyped }
}

function commandMeant(line: string): Meaning | null {
  const [word = '', ...rest] = line.split(/\s+/)
  switch (word) {
    case '/detach':
    case '/cancel':
    case '/close':
    case '/help':
    case '/more':
      return { is: word.slice(1) as 'detach' | 'cancel' | 'close' | 'help' | 'more' }
    case '/mode':
      return { is: 'mode', name: rest.join(' ') }
    case '/model':
    case '/set':
      return { is: word.slice(1) as 'model' | 'set', said: rest.join(' ') }
    case '/steer':
      return { is: 'steer', content: line.slice(word.length).trim() }
    default:
      return null
  }
}

function splitAnswer(question: OpenQuestion, line: string): Meaning {
  const typed = answerTyped(question as Asked, line)
  if (typed) return { is: 'answer', question, ...typed, isDefault: line === '' }
  return line === '' ? { is: 'nothing' } : { is: 'no answer', why: answersInWords(question) }
}

const notUsed = (question: OpenQuestion | null) =>
  `${question ? 'The question you were asked is over' : 'A question came up while you were typing'}: what you typed was not used.`
