import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { CommandContext } from '../context/command-context.ts'
import type { Typed } from '../run-screen/run-screen.ts'

/**
 * Lines of a terminal that keeps them to itself until Enter. What one is for is what its typist was first asked for since
 * their last Enter: what has come up later they may not have seen when they press it.
 */
export class GuessedLines {
  readonly #isTyping: CommandContext['isTyping']
  #askedFor: { question: OpenQuestion | null; looked?: OpenQuestion | null } | null = null

  constructor(isTyping: CommandContext['isTyping']) {
    this.#isTyping = isTyping
  }

  /** This is what somebody is asked for by now: a message, or the answer to a question. */
  asks(question: OpenQuestion | null): void {
    this.#askedFor ??= { question }
    if ((this.#askedFor.question === null) !== (question === null)) void this.#askInstead(question)
  }

  /** Every line with the question that it is for. */
  async *read(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<Typed & { isGuess: true }> {
    for await (const line of lines) {
      onLine()
      // Now, and not when its turn comes: meanwhile the line before it may have brought up another question.
      const question = this.#askedFor?.question ?? null
      this.#askedFor = null
      yield { line, question, isGuess: true }
    }
  }

  /**
   * Whoever had not begun a line when a question came up answers it, and says something new when it was over. One that
   * takes the place of another is answered on second thoughts only.
   */
  async #askInstead(question: OpenQuestion | null): Promise<void> {
    const asked = this.#askedFor
    if (!asked || (asked.looked !== undefined && asked.looked?.questionId === question?.questionId)) return
    asked.looked = question
    const isBegun = (await this.#isTyping?.()) ?? true
    if (!isBegun && this.#askedFor === asked) this.#askedFor = { question }
  }
}
