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
 * The next step about risky changes: a question to the user; or else how long to wait, because they may turn out harmless, whether
 * deletions wait, and whether it is too early to know what has to be asked.
 */
export type ConfirmationStep =
  | { ask: Question }
  | { ask: null; pauseMs: number; holdsDeletions: boolean; isEarly: boolean }

/** What to do about the risky changes there are now. The user is not asked before the whole disk has been scanned. */
export function confirmationStep(
  riskyChanges: Pick<RiskyChanges, 'pauseMs' | 'graceMs' | 'isUnderWay' | 'question'>,
  isComplete: boolean,
): ConfirmationStep {
  // Read only once: a pause that ends between two reads would send everything without a question.
  const burstMs = riskyChanges.pauseMs
  const isEarly = burstMs > 0 || !isComplete
  const question = isEarly ? null : riskyChanges.question()
  const pauseMs = question?.is === 'vanished' ? riskyChanges.graceMs : burstMs
  // While a file is still on its way to the log it is not clear what becomes of it: other deletions wait for that.
  const isUnderWay = question?.is === 'vanished' && riskyChanges.isUnderWay
  if (question && pauseMs <= 0 && !isUnderWay) return { ask: question }
  return { ask: null, pauseMs, holdsDeletions: pauseMs > 0 || isUnderWay || isEarly, isEarly }
}

/** Has the user confirm risky changes before they are sent, and waits where they may turn out harmless by themselves. */
export class Confirmation {
  readonly #parts: ConfirmationParts
  #isPausing = false

  constructor(parts: ConfirmationParts) {
    this.#parts = parts
  }

  /** Which paths wait for now; null while the user is being asked, and nothing may be sent. */
  whatWaits(isComplete: boolean): ((path: WorkspacePath) => boolean) | null {
    const { riskyChanges, pendingQuestion, ledger } = this.#parts
    this.#withdraw()
    if (pendingQuestion.kind) return null
    const step = confirmationStep(riskyChanges, isComplete)
    if (step.ask) {
      this.#ask(step.ask)
      return null
    }
    const { pauseMs, holdsDeletions, isEarly } = step
    if (pauseMs > 0) this.#pause(pauseMs)
    // While a checkout still deletes files the user has not been asked yet: to accept HEAD now would send all of it.
    if (riskyChanges.hasHeadMoved && !isEarly) this.#acceptHead()
    return (path) =>
      (holdsDeletions && ledger.disk.entry(path) === null) || (isEarly && riskyChanges.hasHeadMoved)
  }

  /** A user who has undone the change need not answer any more. */
  #withdraw(): void {
    const { riskyChanges, pendingQuestion, ledger } = this.#parts
    if (pendingQuestion.kind === 'head-moved' && ledger.sendCount === 0) pendingQuestion.withdraw()
    if (pendingQuestion.kind === 'vanished' && riskyChanges.question()?.is !== 'vanished')
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
    // As if this folder had never had them: then the log's versions are new here, and are written.
    else note(riskyChanges.unconfirmedDeletions().map((path) => ledger.agree(path, null)))
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
