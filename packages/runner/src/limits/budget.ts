import { eventName } from '@farhand/protocol/events/event-names'
import { AgentStart, SessionUpdate } from '@farhand/protocol/methods/agent'
import { RunLimits } from '@farhand/protocol/methods/control'
import { Ack, MessageEdit, TurnComplete } from '@farhand/protocol/methods/conversation'
import type { EventName } from '@farhand/protocol/methods/methods'
import { AgentQuestion, QuestionClosed, UserResponse } from '@farhand/protocol/methods/questions'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import { wantsToContinue } from './wants-to-continue.ts'

export type Limits = { -readonly [name in keyof RunLimits]?: RunLimits[name] }

const Cost = z.object({ amount: z.number().nonnegative(), currency: z.string() })
type Cost = z.infer<typeof Cost>
const isUsd = ({ currency }: Cost) => currency.toUpperCase() === 'USD'
const UsageUpdate = z.looseObject({ sessionUpdate: z.literal('usage_update'), cost: Cost })
const TurnUsage = z.looseObject({ cost: Cost })

/** Marks the notice to users that the agent reports no cost. */
export const costUntold = 'cost-untold'

/** Whether the usage of a turn has a cost in US dollars. */
export const tellsCost = (usage: unknown): boolean => {
  const { cost } = TurnUsage.safeParse(usage).data ?? {}
  return cost !== undefined && isUsd(cost)
}

const words = new Set(['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_result'])

type Offer = { limits: Limits; asked: AgentQuestion; answer: unknown }

/** What a run has used, and what the user allows: a fold of its log. */
export class Budget {
  /** The limits that users set, raised by their answers to questions. */
  readonly limits: Limits = {}
  /** Turns that have begun; a turn continued after its agent died counts once. */
  turns = 0
  /** Whether the agent reports its cost. If not, a cost limit has no effect, and users should know. */
  isCostTold = false
  /** Whether users were told so since they last set a cost limit. */
  isUntoldSaid = false
  /** Messages without an end. */
  readonly #messages = new Map<number, 'waits' | 'begun'>()
  readonly #openTurns = new Set<number>()
  /** The open turns on which a living agent works. */
  readonly #atWork = new Set<number>()
  readonly #openQuestions = new Set<string>()
  /** By question: the limits that apply if the user says to go on. */
  readonly #offers = new Map<string, Offer>()
  /** Whether the agent has said anything since a turn was last begun. */
  #hasSpoken = false
  #activeMs = 0
  /** Since when the agent works; null while it waits for a user or has nothing to do. */
  #since: number | null = null
  #lastByRunner = 0
  #growsInSession = false
  #costBefore = 0
  #costOfSession = 0
  #sessionId: string | null = null

  /** In US dollars; a cost in another currency does not count. */
  get costUsd(): number {
    return this.#costBefore + this.#costOfSession
  }

  /** How long the agent has worked in all turns, without the time it waited for users. */
  activeMs(nowMs: number): number {
    return this.#activeMs + (this.#since === null ? 0 : Math.max(0, nowMs - this.#since))
  }

  /** Takes the next event of the log. */
  take({ id, notification, by, timestamp }: SeenEvent): void {
    const { method, params = {} } = notification
    const name = eventName(method)
    if (name === 'user_message') this.#messages.set(id, 'waits')
    const at = Date.parse(timestamp)
    if (name === 'session_start') this.#die()
    if (by.kind === 'runner') this.#lastByRunner = at
    this.#turns(name, params)
    this.#questions(name, params)
    this.#clock(at)
    if (name === 'run_limits') {
      this.#allow(params)
      if (RunLimits.safeParse(params).data?.costUsd !== undefined) this.isUntoldSaid = false
    }
    this.takeOwn(notification)
  }

  /** Takes an event that this runner writes itself and does not read back (W17). */
  takeOwn({ method, params = {} }: Notification): void {
    const name = eventName(method)
    if (words.has(method)) this.#hasSpoken = true
    if (name === 'session/update') {
      const said = SessionUpdate.safeParse(params).data?.update
      const usage = UsageUpdate.safeParse(said).data
      if (usage) this.#told(usage.cost)
    }
    if (name === 'console' && params.about === costUntold) this.isUntoldSaid = true
    if (name === 'agent_start') {
      const session = AgentStart.safeParse(params).data
      // A new session counts its cost from zero; one that was loaded again may go on counting.
      if (session && session.sessionId !== this.#sessionId) this.#bank()
      this.#sessionId = session?.sessionId ?? this.#sessionId
    }
  }

  #turns(name: EventName | null, params: unknown): void {
    if (name === 'message_edit') {
      const edit = MessageEdit.safeParse(params).data
      if (edit?.content === null && this.#messages.get(edit.messageId) === 'waits')
        this.#messages.delete(edit.messageId)
    }
    if (name === 'ack') {
      const { id, into } = Ack.safeParse(params).data ?? {}
      // An ack that crossed a withdrawal begins nothing (W29).
      if (id === undefined || !this.#messages.has(id)) return
      this.#messages.set(id, 'begun')
      // A message sent into a turn is a part of that turn.
      if (into !== undefined) return
      if (!this.#openTurns.has(id)) this.turns += 1
      this.#hasSpoken = false
      this.#openTurns.add(id)
      this.#atWork.add(id)
    }
    if (name === 'turn_complete') {
      const turn = TurnComplete.safeParse(params).data
      this.#messages.delete(turn?.messageId ?? 0)
      const isOpen = this.#openTurns.delete(turn?.messageId ?? 0)
      this.#atWork.delete(turn?.messageId ?? 0)
      // The user was asked and declined: the turn did nothing.
      if (isOpen && turn?.stopReason === 'limit' && !this.#hasSpoken) this.turns -= 1
      const { cost } = TurnUsage.safeParse(turn?.usage).data ?? {}
      // An agent that reports a growing cost has already reported that of the turn.
      if (cost && isUsd(cost) && !this.#growsInSession) {
        this.isCostTold = true
        this.#costBefore += cost.amount
      }
    }
  }

  #questions(name: EventName | null, params: unknown): void {
    if (name === 'agent_question') {
      const asked = AgentQuestion.safeParse(params).data
      if (!asked) return
      this.#openQuestions.add(asked.questionId)
      const offer = RunLimits.safeParse(asked.limits).data
      if (offer) this.#offers.set(asked.questionId, { limits: offer, asked, answer: undefined })
    }
    if (name === 'user_response') {
      const said = UserResponse.safeParse(params).data
      const offer = said && this.#offers.get(said.questionId)
      if (offer) offer.answer ??= said.answer
    }
    if (name === 'question_closed') {
      const closed = QuestionClosed.safeParse(params).data
      if (!closed) return
      this.#openQuestions.delete(closed.questionId)
      const offer = this.#offers.get(closed.questionId)
      this.#offers.delete(closed.questionId)
      if (!offer || closed.how !== 'answered') return
      if (wantsToContinue(offer.asked, closed.answer ?? offer.answer)) this.#allow(offer.limits)
    }
  }

  #allow(limits: unknown): void {
    Object.assign(this.limits, RunLimits.safeParse(limits).data)
  }

  #clock(at: number): void {
    const works = this.#atWork.size > 0 && this.#openQuestions.size === 0
    if (works) this.#since ??= at
    else this.#stop(at)
  }

  #stop(at: number): void {
    this.#activeMs = this.activeMs(at)
    this.#since = null
  }

  /** A new runner begins: the one before stopped working some time after its last event. */
  #die(): void {
    this.#stop(this.#lastByRunner)
    this.#atWork.clear()
    this.#openQuestions.clear()
    this.#offers.clear()
  }

  #told(cost: Cost): void {
    if (!isUsd(cost)) return
    const { amount } = cost
    this.isCostTold = true
    this.#growsInSession = true
    // A restarted agent may count from zero in the same session.
    if (amount < this.#costOfSession) this.#bank()
    this.#costOfSession = amount
  }

  #bank(): void {
    this.#costBefore += this.#costOfSession
    this.#costOfSession = 0
  }
}
