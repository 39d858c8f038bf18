import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { CommandContext } from '../../context/command-context.ts'
import type { Typed } from '../run-screen/run-screen.ts'

/**
 * Lines of a terminal that hands them over at Enter. A line answers what the user was first asked for since their last
 * Enter: they may not have seen a later question when they press it.
 */
export class GuessedLines {
  readonly #isTyping: CommandContext['isTyping']
  #askedFor: { question: OpenQuestion | null; looked?: OpenQuestion | null } | null = null

  constructor(isTyping: CommandContext['isTyping']) {
    this.#isTyping = isTyping
  }

  /** The user is now asked for this: an answer to the question, or a message if it is null. */
  asks(question: OpenQuestion | null): void {
    this.#askedFor ??= { question }
    if ((this.#askedFor.question === null) !== (question === null)) void this.#askInstead(question)
  }

  /** Every line with the question that it answers. */
  async *read(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<Typed & { isGuess: true }> {
    for await (const line of lines) {
      onLine()
      // Decided now: when the line is handled, the line before it may have led to another question.
      const question = this.#askedFor?.question ?? null
      this.#askedFor = null
      yield { line, question, isGuess: true }
    }
  }

  /**
   * A user who has not begun a line when a question comes up or ends is asked for the new thing instead. A question that
   * replaces another one is looked at only once.
   */
  async #askInstead(question: OpenQuestion | null): Promise<void> {
    const asked = this.#askedFor
    if (!asked || (asked.looked !== undefined && asked.looked?.questionId === question?.questionId)) return
    asked.looked = question
    const isBegun = (await this.#isTyping?.()) ?? true
    if (!isBegun && this.#askedFor === asked) this.#askedFor = { question }
  }
}
