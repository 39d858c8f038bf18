import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Ledger } from './ledger.ts'
import type { Agreement, Memory } from './memory.ts'
import type { PendingQuestion } from './pending-question.ts'
import type { RiskyChanges } from './risky-changes.ts'
import type { Timing } from './timing.ts'

type ConfirmationParts = {
  riskyChanges: RiskyChanges
  pendingQuestion: PendingQuestion
  ledger: Ledger
  memory: Memory
  timing: Timing
  note: (agreements: Agreement[]) => void
  /** There may be more to do now. */
  next: () => void
  fail: (error: unknown) => void
  signal: AbortSignal
}

type Question = NonNullable<ReturnType<RiskyChanges['question']>>

/**
 * What is done about riskyChanges: a question; or else how long to wait for what may clear it, whether deletions wait, and whether it is
 * too early to know what has to be asked.
 */
export type ConfirmationStep =
  | { ask: Question }
  | { ask: null; pauseMs: number; holdsDeletions: boolean; isEarly: boolean }

/** What is to be done about riskyChanges as they stand. Nobody is asked before all of the disk has been seen. */
export function confirmationStep(
  riskyChanges: Pick<RiskyChanges, 'pauseMs' | 'graceMs' | 'isUnderWay' | 'question'>,
  isComplete: boolean,
): ConfirmationStep {
  // Looked at once: a pause that ends between two looks would let everything go unasked.
  const burstMs = riskyChanges.pauseMs
  const isEarly = burstMs > 0 || !isComplete
  const question = isEarly ? null : riskyChanges.question()
  const pauseMs = question?.is === 'vanished' ? riskyChanges.graceMs : burstMs
  // Nobody can say what becomes of a file while it is still on its way: the others that have gone wait for it.
  const isUnderWay = question?.is === 'vanished' && riskyChanges.isUnderWay
  if (question && pauseMs <= 0 && !isUnderWay) return { ask: question }
  return { ask: null, pauseMs, holdsDeletions: pauseMs > 0 || isUnderWay || isEarly, isEarly }
}

/** Has a person say what may go to the run, where that is in doubt, and waits where it may become clear by itself. */
export class Confirmation {
  readonly #parts: ConfirmationParts
  #isPausing = false

  constructor(parts: ConfirmationParts) {
    this.#parts = parts
  }

  /** Which paths wait for now; null while a person is being asked, and nothing may go. */
  whatWaits(isComplete: boolean): ((path: WorkspacePath) => boolean) | null {
    const { riskyChanges, pendingQuestion, ledger } = this.#parts
    this.#withdraw()
    if (pendingQuestion.about) return null
    const about = confirmationStep(riskyChanges, isComplete)
    if (about.ask) {
      this.#ask(about.ask)
      return null
    }
    const { pauseMs, holdsDeletions, isEarly } = about
    if (pauseMs > 0) this.#pause(pauseMs)
    // While a checkout still deletes nobody has been asked about it: to move on then would send all of it.
    if (riskyChanges.hasMoved && !isEarly) this.#acceptHead()
    return (path) =>
      (holdsDeletions && ledger.disk.entry(path) === null) || (isEarly && riskyChanges.hasMoved)
  }

  /** Whoever went back to where they came from need not answer any more. */
  #withdraw(): void {
    const { riskyChanges, pendingQuestion, ledger } = this.#parts
    if (pendingQuestion.about === 'head-moved' && ledger.sendCount === 0) pendingQuestion.withdraw()
    if (pendingQuestion.about === 'vanished' && riskyChanges.question()?.is !== 'vanished')
      pendingQuestion.withdraw()
  }

  #ask(question: Question): void {
    const { pendingQuestion } = this.#parts
    if (question.is === 'head-moved') pendingQuestion.ask(question, () => this.#acceptHead())
    else pendingQuestion.ask(question, (answer) => this.#answerVanished(answer))
  }

  #answerVanished(answer: 'delete' | 'bring-back'): void {
    const { riskyChanges, ledger, note } = this.#parts
    if (answer === 'delete') riskyChanges.allowDeletions()
    // As if this folder had never had them: then what the log has is simply news.
    else note(riskyChanges.missing().map((path) => ledger.agree(path, null)))
  }

  #acceptHead(): void {
    const { riskyChanges, memory } = this.#parts
    riskyChanges.acceptHead()
    memory.note({ position: riskyChanges.position })
  }

  #pause(ms: number): void {
    if (this.#isPausing) return
    const { timing, signal, next, fail } = this.#parts
    this.#isPausing = true
    timing.sleep(ms, signal).then(() => {
      this.#isPausing = false
      next()
    }, fail)
  }
}
