import { AgentQuestion, QuestionClosed, UserResponse } from '@farhand/protocol/methods/questions'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { authorInWords } from '../printing/author-in-words.ts'
import { firstLine, shownText } from '../printing/shown-text.ts'
import { answerInWords } from '../questions/question-in-words.ts'

type Known = {
  asked: AgentQuestion
  isShown: boolean
  /** The answer that this user is sending, as JSON. */
  own: string | null
  given: { answer: unknown; by: string } | null
}

/** Tells how questions have ended and who ended them; answers from this screen are not shown again. */
export class QuestionEnds {
  readonly #known = new Map<string, Known>()

  /** The question is on the screen: its end need not repeat it. */
  shown(questionId: string): void {
    const known = this.#known.get(questionId)
    if (known) known.isShown = true
  }

  answering(questionId: string, answer: unknown): void {
    const known = this.#known.get(questionId)
    if (known) known.own = JSON.stringify(answer)
  }

  asked(params: unknown): void {
    const asked = AgentQuestion.safeParse(params).data
    if (asked) this.#known.set(asked.questionId, { asked, isShown: false, own: null, given: null })
  }

  answered(params: unknown, author: SeenEvent['by']): void {
    const said = UserResponse.safeParse(params).data
    const known = said && this.#known.get(said.questionId)
    // Only the first answer counts.
    if (!known || known.given) return
    const isSomewhere = author.kind === 'channel' || author.kind === 'other'
    known.given = { answer: said.answer, by: said.by ?? (isSomewhere ? authorInWords(author) : '') }
  }

  /** The lines about the end of a question; none if the user knows it already. */
  closed(params: unknown): string[] {
    const closed = QuestionClosed.safeParse(params).data
    if (!closed) return []
    const known = this.#known.get(closed.questionId)
    this.#known.delete(closed.questionId)
    const how = endOf(closed, known)
    if (how === null) return []
    return known && !known.isShown ? [`? ${firstLine(known.asked.question)}`, `  ${how}`] : [`  ${how}`]
  }
}

function endOf({ how, why, by, answer }: QuestionClosed, known: Known | undefined): string | null {
  const inWords = (given: unknown) => (known ? answerInWords(known.asked, given) : '')
  const settled = answer === undefined || answer === null ? '' : inWords(answer)
  if (why) return `${shownText(why)}${settled && ` (${settled})`}`
  if (by) return `Ended by ${firstLine(by)}${settled && `: ${settled}`}.`
  if (how !== 'answered') return `No longer asked (${how}).`
  if (!known?.given || known.own === JSON.stringify(known.given.answer)) return null
  const who = known.given.by && ` (${firstLine(known.given.by)})`
  return `Answered${known.isShown ? ' elsewhere' : ''}: ${inWords(known.given.answer)}${who}`
}
