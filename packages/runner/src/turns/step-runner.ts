import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'
import { Allowance } from '../limits/allowance.ts'
import type { Budget } from '../limits/budget.ts'
import { costNotice } from '../limits/cost-notice.ts'
import type { PendingQuestions } from '../questions/pending-questions.ts'
import type { AgentListener } from './agent-listener.ts'
import { nextStep, type Step } from './next-step.ts'
import { toolFailed } from './tool-end.ts'
import { Turn, type TurnParts } from './turn.ts'
import type { TurnMarkers } from './turn-markers.ts'

type StepRunnerParts = Pick<TurnParts, 'orders' | 'host' | 'blocks' | 'settled'> & {
  generation: number
  budget: Budget
  questions: PendingQuestions
  listener: AgentListener
  markers: TurnMarkers
  memory: { turnOver(): Promise<void> } | null
  checkpoints: { turnEnded(): void } | null
  emit: (event: Notification) => void
  /** Something has happened that may call for a next step. */
  next: () => void
  fail: (why: unknown) => void
}

/** Takes the steps that the log asks for, and runs the current turn. */
export class StepRunner {
  readonly #parts: StepRunnerParts
  /** What this runner has ended and may not have read back yet. */
  readonly #ending = new Set<string>()
  #turn: Turn | null = null
  #working: Promise<void> = Promise.resolve()
  #isClosing = false

  constructor(parts: StepRunnerParts) {
    this.#parts = parts
  }

  /** Whether the run is being closed: no turn begins any more. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  get hasTurn(): boolean {
    return this.#turn !== null
  }

  /** Takes all steps that are due; turns go on in the background. No turn begins unless `mayBegin`. */
  takeAll(mayBegin: boolean): void {
    const { orders, generation } = this.#parts
    while (!this.#isClosing) {
      const step = nextStep(orders, { generation, turn: this.#turn, ending: this.#ending })
      if (!step || (step.do === 'begin' && !mayBegin)) return
      if (step.do === 'close') this.#isClosing = true
      else this.#take(step)
    }
  }

  /** Stops the turn if it has reached a limit. */
  lookAtLimits(): void {
    this.#turn?.lookAtLimits()
  }

  /** Ends the running turn, as if a user had cancelled it. */
  endTurn(): void {
    this.#cancel()
  }

  /** Ends the running turn, and writes the end of every message that was acknowledged. */
  async endAll(): Promise<void> {
    const { orders, markers } = this.#parts
    this.#cancel()
    markers.alone()
    await this.#working.catch(() => {})
    // A message for a turn that ended before the agent heard it would have got its own turn.
    for (const messageId of markers.unended)
      if (orders.isOpen(messageId) && !this.#ending.has(String(messageId)))
        this.#endTurn(messageId, 'cancelled')
  }

  #take(step: Exclude<Step, { do: 'close' }>): void {
    switch (step.do) {
      case 'supersede':
        this.#ending.add(step.questionId)
        this.#emit('question_closed', { questionId: step.questionId, how: 'superseded' })
        break
      case 'fail-tool':
        this.#parts.emit(toolFailed(step.toolCallId))
        break
      case 'interrupt':
        this.#endTurn(step.messageId, 'interrupted')
        break
      case 'end-turn':
        this.#endTurn(step.messageId, 'cancelled')
        break
      case 'cancel':
        this.#cancel()
        break
      case 'join':
        this.#turn?.join(step.messageId)
        break
      case 'begin':
        this.#begin(step.messageId, step.isAgain)
    }
  }

  #cancel(): void {
    this.#turn?.cancel()
    this.#parts.questions.endAll('cancelled')
  }

  #endTurn(messageId: number, stopReason: string): void {
    this.#ending.add(String(messageId))
    this.#emit('turn_complete', { messageId, stopReason })
  }

  #begin(messageId: number, isAgain: boolean): void {
    const { orders, host, blocks, settled, budget, questions, listener, markers, fail } = this.#parts
    const turn = new Turn(
      {
        orders,
        host,
        mark: (event) => markers.mark(event),
        emit: this.#parts.emit,
        blocks,
        allowance: new Allowance(budget, questions),
        activity: () => listener.activity,
        agentGone: () => listener.agentGone(),
        silence: listener.silence,
        settled,
        ending: (end) => {
          listener.turnEnds(end.stopReason)
          const notice = costNotice(budget, end)
          if (notice) this.#parts.emit(notice)
        },
        changed: () => this.#next(),
      },
      messageId,
      isAgain,
    )
    this.#turn = turn
    this.#working = turn.run().then(async () => {
      await this.#parts.memory?.turnOver()
      this.#turn = null
      this.#parts.checkpoints?.turnEnded()
      this.#next()
    })
    this.#working.catch(fail)
  }

  #next(): void {
    if (!this.#isClosing) this.#parts.next()
  }

  #emit<Name extends EventName>(name: Name, params: EventParams<Name>): void {
    this.#parts.emit(event(name, params))
  }
}
