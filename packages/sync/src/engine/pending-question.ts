import type { Ask, SyncAnswer, SyncQuestion } from './sync-notes.ts'
import { SyncStopped } from './sync-stopped.ts'

type Parts = { ask: Ask; next: () => void; fail: (error: unknown) => void }

/** One question at a time for a person. To stop is an answer to any of them. */
export class PendingQuestion {
  readonly #parts: Parts
  #open: { is: SyncQuestion['is']; end: AbortController } | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What is being asked now. */
  get about(): SyncQuestion['is'] | null {
    return this.#open?.is ?? null
  }

  /** Asks. Once it is answered, `answered` is told, and whoever goes on from there. */
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

  /** The question has answered itself, or nobody needs the answer any more. */
  withdraw(): void {
    this.#open?.end.abort()
    this.#open = null
  }
}
