import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Doubts } from './doubts.ts'
import type { Ledger } from './ledger.ts'
import type { Agreement, Memory } from './memory.ts'
import type { Asking } from './pending-question.ts'
import type { Timing } from './timing.ts'

type ConsentParts = {
  doubts: Doubts
  asking: Asking
  ledger: Ledger
  memory: Memory
  timing: Timing
  note: (agreements: Agreement[]) => void
  /** There may be more to do now. */
  next: () => void
  fail: (error: unknown) => void
  signal: AbortSignal
}

type Question = NonNullable<ReturnType<Doubts['question']>>

/**
 * What is done about doubts: a question; or else how long to wait for what may clear it, whether deletions wait, and whether it is
 * too early to know what has to be asked.
 */
export type AboutDoubts =
  | { ask: Question }
  | { ask: null; pauseMs: number; holdsDeletions: boolean; isEarly: boolean }

/** What is to be done about doubts as they stand. Nobody is asked before all of the disk has been seen. */
export function aboutDoubts(
  doubts: Pick<Doubts, 'pauseMs' | 'graceMs' | 'isUnderWay' | 'question'>,
  isComplete: boolean,
): AboutDoubts {
  // Looked at once: a pause that ends between two looks would let everything go unasked.
  const burstMs = doubts.pauseMs
  const isEarly = burstMs > 0 || !isComplete
  const question = isEarly ? null : doubts.question()
  const pauseMs = question?.is === 'vanished' ? doubts.graceMs : burstMs
  // Nobody can say what becomes of a file while it is still on its way: the others that have gone wait for it.
  const isUnderWay = question?.is === 'vanished' && doubts.isUnderWay
  if (question && pauseMs <= 0 && !isUnderWay) return { ask: question }
  return { ask: null, pauseMs, holdsDeletions: pauseMs > 0 || isUnderWay || isEarly, isEarly }
}

/** Has a person say what may go to the run, where that is in doubt, and waits where it may become clear by itself. */
export class Consent {
  readonly #parts: ConsentParts
  #isPausing = false

  constructor(parts: ConsentParts) {
    this.#parts = parts
  }

  /** Which paths wait for now; null while a person is being asked, and nothing may go. */
  whatWaits(isComplete: boolean): ((path: WorkspacePath) => boolean) | null {
    const { doubts, asking, ledger } = this.#parts
    this.#withdraw()
    if (asking.about) return null
    const about = aboutDoubts(doubts, isComplete)
    if (about.ask) {
      this.#ask(about.ask)
      return null
    }
    const { pauseMs, holdsDeletions, isEarly } = about
    if (pauseMs > 0) this.#pause(pauseMs)
    // While a checkout still deletes nobody has been asked about it: to move on then would send all of it.
    if (doubts.hasMoved && !isEarly) this.#moveOn()
    return (path) => (holdsDeletions && ledger.disk.entry(path) === null) || (isEarly && doubts.hasMoved)
  }

  /** Whoever went back to where they came from need not answer any more. */
  #withdraw(): void {
    const { doubts, asking, ledger } = this.#parts
    if (asking.about === 'head-moved' && ledger.sendCount === 0) asking.withdraw()
    if (asking.about === 'vanished' && doubts.question()?.is !== 'vanished') asking.withdraw()
  }

  #ask(question: Question): void {
    const { asking } = this.#parts
    if (question.is === 'head-moved') asking.ask(question, () => this.#moveOn())
    else asking.ask(question, (answer) => this.#answerVanished(answer))
  }

  #answerVanished(answer: 'delete' | 'bring-back'): void {
    const { doubts, ledger, note } = this.#parts
    if (answer === 'delete') doubts.allowDeletions()
    // As if this folder had never had them: then what the log has is simply news.
    else note(doubts.missing().map((path) => ledger.agree(path, null)))
  }

  #moveOn(): void {
    const { doubts, memory } = this.#parts
    doubts.moveOn()
    memory.note({ position: doubts.position })
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
