import { paramsOf } from '@farhand/protocol/events/event-handlers'
import { isEvent } from '@farhand/protocol/events/event-names'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { hasId } from '@farhand/protocol/runs/id-list'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import { type TurnPlace, turnPlace } from '@farhand/protocol/runs/turn-place'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import { agentOffers, noOffers } from '../agent-controls/agent-offers.ts'

const Failed = z.looseObject({ error: z.looseObject({ message: z.string() }) })

/** What the events read so far say about a run; `messageId` is the message whose turn is waited for, or null. */
export class ReadRun {
  view: RunView = emptyRunView
  offers = noOffers
  lastEventId = 0
  /** The event of the agent's newest error. */
  errorAt = 0
  place: TurnPlace = 'before'
  /** How the turn of the message has ended; null if it has not. */
  turnEnd: { stopReason: string; why: string | null } | null = null
  readonly #messageId: number | null
  readonly #checks = new Set<() => void>()

  constructor(messageId: number | null) {
    this.#messageId = messageId
  }

  get isIdle(): boolean {
    return this.view.openTurns.length === 0 && this.view.unacked.length === 0
  }

  take(event: SeenEvent): void {
    const { notification } = event
    this.view = foldRunView(this.view, event)
    this.offers = agentOffers(this.offers, event)
    this.lastEventId = event.id
    if (isEvent(notification, 'error')) this.errorAt = event.id
    for (const check of this.#checks) check()
    if (this.#messageId === null) return
    this.place = turnPlace(this.place, notification, this.#messageId)
    if (this.place !== 'over' || this.turnEnd) return
    const turn = paramsOf(notification, 'turn_complete')
    if (turn?.messageId !== this.#messageId) return
    const why = Failed.safeParse(notification.params).data?.error.message ?? null
    this.turnEnd = { stopReason: turn.stopReason, why }
  }

  /** Whether other messages come before this one. */
  isBehindOthers(messageId: number): boolean {
    const { unacked, openTurns } = this.view
    return hasId(unacked, messageId) && (openTurns.length > 0 || unacked[0]?.[0] !== messageId)
  }

  /** Resolves when the events read so far make the condition true, or on an abort. */
  until(isTrue: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isTrue() && !signal.aborted) return
        this.#checks.delete(check)
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.#checks.add(check)
      signal.addEventListener('abort', check)
      check()
    })
  }
}
