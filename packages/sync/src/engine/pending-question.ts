import type { Ask, SyncAnswer, SyncQuestion } from './sync-notes.ts'
import { SyncStopped } from './sync-stopped.ts'

type Parts = { ask: Ask; next: () => void; fail: (error: unknown) => void }

/** Asks the user one question at a time. 'stop' is an answer to each of them. */
export class PendingQuestion {
  readonly #parts: Parts
  #open: { is: SyncQuestion['is']; end: AbortController } | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The question that is open now; null if none is. */
  get kind(): SyncQuestion['is'] | null {
    return this.#open?.is ?? null
  }

  /** Asks. The answer goes to `answered`, and then the sync continues. */
  ask<Question extends SyncQuestion>(
    question: Question,
    answered: (answer: Exclude<SyncAnswer<Question>, 'stop'>) => void,
  ): void {
    const { ask, next, fail } = this.#parts
    const end = new AbortController()
    this.#open = { is: question.is, end }
    ask(question, end.signal).then(
      (answer) => {
        if (end.signal.aborted) return
        this.#open = null
        if (answer === 'stop') {
          fail(SyncStopped.answer(question))
          return
        }
        answered(answer as Exclude<SyncAnswer<Question>, 'stop'>)
        next()
      },
      (error) => {
        if (!end.signal.aborted) fail(error)
      },
    )
  }

  /** The question needs no answer any more. */
  withdraw(): void {
    this.#open?.end.abort()
    this.#open = null
  }
}
