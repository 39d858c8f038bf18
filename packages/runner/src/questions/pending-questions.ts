import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import type { RunView } from '@farhand/protocol/runs/run-view'
import { shortened } from '@farhand/protocol/text/plain-text'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { newId, QuestionId } from '@farhand/protocol/wire/ids'
import type { Orders } from '../orders/orders.ts'

/** The log's own limit. */
const mostCharacters = 32_768

/** A question before it has an id. */
export type Question = Pick<
  AgentQuestion,
  'question' | 'kind' | 'options' | 'timeout' | 'default' | 'toolCallId'
> &
  Record<string, unknown>

/** How a question ended: answered, or why not. */
export type Ended =
  | { how: 'answered'; answer: unknown; isSettled?: true }
  /** `answer` is the question's default, if it has one. */
  | { how: 'expired'; answer: unknown }
  | { how: 'cancelled' | 'superseded' }

/** What the user's policy says about a question: nothing (null), an answer at once, or an answer after a while. */
export type Verdict = { answer: unknown; by: string; why: string; afterMs: number } | null

export type PendingQuestionsParts = {
  orders: Orders
  /** Writes the event; resolves when it was read back. */
  mark: (event: Notification) => Promise<void>
}

/** The run's mode and policy: what may be decided without a user. */
export type ModeAndPolicy = Pick<RunView, 'mode' | 'policy'>

type Asked = {
  /** What is wrong with a user's answer; null if it can be passed on. */
  fits: (answer: unknown) => string | null
  /** Called again when mode or policy change while the question is open (W65). */
  verdict: (stance: ModeAndPolicy) => Verdict
  signal: AbortSignal
}

type Open = {
  end: (ended: Ended, settled?: { by: string; why: string }) => void
  /** Set once its end was written, until it was read back; an answer before it in the log still counts. */
  ending: { answered?: unknown } | null
  reconsider: (stance: ModeAndPolicy) => void
}

/**
 * The questions that wait for a user. Each is written to the log and has exactly one end there; the first answer
 * counts, from any user.
 */
export class PendingQuestions {
  readonly #parts: PendingQuestionsParts
  readonly #open = new Map<QuestionId, Open>()

  constructor(parts: PendingQuestionsParts) {
    this.#parts = parts
  }

  /** Mode and policy, as far as the log has been read. */
  get stance(): ModeAndPolicy {
    return this.#parts.orders.view
  }

  /**
   * Resolves when the question has ended. After an answer that does not fit, the question is asked again with the
   * reason.
   */
  async ask(question: Question, asked: Asked): Promise<Ended> {
    let replaces: QuestionId | undefined
    let problems = ''
    for (;;) {
      const questionId = newId(QuestionId, 'qst')
      // The log would refuse a longer text, and the user would not be asked.
      const text = shortened(question.question, mostCharacters - problems.length) + problems
      const said = { ...question, question: text, questionId, ...(replaces && { replaces }) }
      const ended = await this.#once(said, asked)
      // Only a user can be told what was wrong with an answer; a policy cannot.
      const problem = ended.how === 'answered' && !ended.isSettled ? asked.fits(ended.answer) : null
      if (problem === null) return ended
      replaces = questionId
      problems = `\n(The last answer did not fit: ${shortened(problem, 2000)})`
    }
  }

  /** The log was read further: answers may have come. */
  heard(): void {
    for (const { questionId, given } of this.#parts.orders.view.openQuestions) {
      const open = given && this.#open.get(questionId)
      if (!open) continue
      if (open.ending) open.ending.answered = given.answer
      else open.end({ how: 'answered', answer: given.answer })
    }
    // After the answers: an answer that precedes a change of mode in the log still counts.
    for (const open of [...this.#open.values()]) open.reconsider(this.stance)
  }

  /** Ends all open questions because their turn or agent has ended. */
  endAll(how: 'cancelled' | 'superseded'): void {
    for (const open of [...this.#open.values()]) open.end({ how })
  }

  #once(said: AgentQuestion, { verdict, signal }: Asked): Promise<Ended> {
    const { questionId } = said
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      let stance: ModeAndPolicy | null = null
      const askedAt = performance.now()
      const end: Open['end'] = (ended, settled) => {
        const open = this.#open.get(questionId)
        if (!open || open.ending) return
        open.ending = {}
        clearTimeout(timer)
        signal.removeEventListener('abort', withdraw)
        const closed = {
          questionId,
          how: ended.how,
          ...(settled && 'answer' in ended && { answer: ended.answer, ...settled }),
        }
        this.#mark('question_closed', closed)
          .then(() => {
            this.#open.delete(questionId)
            const { answered } = open.ending!
            resolve(
              ended.how === 'expired' && answered !== undefined
                ? { how: 'answered', answer: answered }
                : ended,
            )
          })
          .catch(reject)
      }
      const withdraw = () => end({ how: 'cancelled' })
      const reconsider = (now: ModeAndPolicy) => {
        if (stance && stance.mode === now.mode && stance.policy === now.policy) return
        stance = { mode: now.mode, policy: now.policy }
        clearTimeout(timer)
        const decided = verdict(now)
        if (!decided) return
        const { answer, by, why, afterMs } = decided
        if (afterMs === 0) end({ how: 'answered', answer, isSettled: true }, { by, why })
        else {
          const leftMs = Math.max(0, afterMs - (performance.now() - askedAt))
          timer = setTimeout(() => end({ how: 'expired', answer }, { by, why }), leftMs)
        }
      }
      this.#open.set(questionId, { end, ending: null, reconsider })
      this.#mark('agent_question', said).catch((why) => {
        // The hub refused the question, for example because too many are open, so there is nothing to end.
        this.#open.delete(questionId)
        clearTimeout(timer)
        signal.removeEventListener('abort', withdraw)
        if (why instanceof Fault) resolve({ how: 'cancelled' })
        else reject(why)
      })
      if (signal.aborted) return withdraw()
      signal.addEventListener('abort', withdraw, { once: true })
      reconsider(this.stance)
    })
  }

  #mark<Name extends EventName>(name: Name, params: EventParams<Name>): Promise<void> {
    return this.#parts.mark(event(name, params))
  }
}
