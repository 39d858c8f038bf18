import { plainText, shortened } from '@farhand/protocol/text/plain-text'
import type { PendingQuestions } from '../questions/pending-questions.ts'
import { byBackground, isUnattended } from '../questions/policy.ts'
import type { Budget } from './budget.ts'
import { exceeded } from './exceeded.ts'
import { rateLimitWait } from './rate-limit-wait.ts'
import { wantsToContinue } from './wants-to-continue.ts'

// A limit is the user's own decision: without the user, the run does not go beyond it (W65).
const stopped = {
  answer: 'stop',
  by: byBackground,
  why: 'The run is in background mode and does not wait for an answer: it stops at its limit.',
  afterMs: 0,
}

const notFitting = 'say whether to continue, or to stop here'

/** Decides whether a turn may go on: asks the user when a limit is reached, and never goes on without an answer. */
export class Allowance {
  readonly #budget: Budget
  readonly #questions: PendingQuestions
  #waitedMs = 0

  constructor(budget: Budget, questions: PendingQuestions) {
    this.#budget = budget
    this.#questions = questions
  }

  /** Whether a limit is reached right now. */
  isReached(): boolean {
    return exceeded(this.#budget, 'during', Date.now()) !== null
  }

  /** Resolves when no limit is in the way: true to go on, false if the user wants to stop. */
  async given(when: 'before' | 'during', signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const reached = exceeded(this.#budget, when, Date.now())
      if (!reached) return true
      if (!(await this.#isWanted(reached.question, signal))) return false
    }
  }

  /**
   * How long to wait after a rate limit of the agent's provider; null if the error is about something else, or the
   * user does not want to wait.
   */
  async wait(error: unknown, signal: AbortSignal): Promise<number | null> {
    const wait = rateLimitWait(error, this.#waitedMs, this.#budget.limits, Date.now())
    if (wait === null) return null
    if (wait !== 'ask') {
      this.#waitedMs += wait.waitMs
      return wait.waitMs
    }
    const isWanted = await this.#isWanted(
      {
        question: `The agent's provider has no capacity left for it: ${messageOf(error)}\nTry again?`,
        kind: 'question',
        options: [
          { optionId: 'continue', name: 'Try again' },
          { optionId: 'stop', name: 'Stop here' },
        ],
      },
      signal,
    )
    this.#waitedMs = 0
    return isWanted ? 0 : null
  }

  async #isWanted(question: Parameters<PendingQuestions['ask']>[0], signal: AbortSignal): Promise<boolean> {
    const ended = await this.#questions.ask(question, {
      fits: (answer) => (wantsToContinue(question, answer) === null ? notFitting : null),
      verdict: (stance) => (isUnattended(stance) ? stopped : null),
      signal,
    })
    return 'answer' in ended && wantsToContinue(question, ended.answer) === true
  }
}

const messageOf = (error: unknown) =>
  shortened(plainText(error instanceof Error ? error.message : (JSON.stringify(error) ?? '')), 2000)
