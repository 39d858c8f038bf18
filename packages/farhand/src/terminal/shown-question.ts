import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { KeyedTerminal } from './keys/keyed-terminal.ts'
import type { ColorDepth } from './lines/palette.ts'
import { type Line, span } from './lines/styled-line.ts'
import { questionInLines } from './question-in-lines.ts'
import type { Panel } from './question-panel.ts'
import { answerInWords } from './questions/question-in-words.ts'

/** The lines of the open question and of its answer. What was printed in between may have scrolled it out of sight. */
export class ShownQuestion {
  readonly #terminal: KeyedTerminal
  readonly #depth: ColorDepth
  /** The last question that was open: its answer is printed with the names of its options. */
  #last: OpenQuestion | null = null

  constructor(terminal: KeyedTerminal, depth: ColorDepth) {
    this.#terminal = terminal
    this.#depth = depth
  }

  opens(question: OpenQuestion | null): void {
    this.#last = question ?? this.#last
  }

  lines(question: OpenQuestion): Line[] {
    return questionInLines(question, { ...this.#terminal.size, keepsMarks: this.#depth === 0 })
  }

  /** The question once more, if it is still open. */
  again(panel: Panel | null): Line[] {
    return panel ? this.lines(panel.asked) : []
  }

  /** The line that shows an answer; null if it is for another question. */
  answered(questionId: string, answer: unknown): Line | null {
    if (this.#last?.questionId !== questionId) return null
    return [span('  → ', 'dim'), span(answerInWords(this.#last, answer), 'mine')]
  }
}
