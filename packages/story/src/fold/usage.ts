import type { Usage } from '../items/story.ts'
import { asNumber, asObject, isObject } from '../values/untyped-values.ts'

const isUsd = (cost: Record<string, unknown>) =>
  typeof cost.currency === 'string' && cost.currency.toUpperCase() === 'USD'

const costOf = (value: unknown): number | null => {
  const cost = asObject(value)
  return isUsd(cost) ? asNumber(cost.amount) : null
}

const sum = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : one + other

/** The usage of one turn, from its end; null if the agent reports none. */
export function turnUsage(said: unknown): Usage | null {
  if (!isObject(said)) return null
  return {
    inputTokens: asNumber(said.inputTokens),
    outputTokens: asNumber(said.outputTokens),
    context: null,
    costUsd: costOf(said.cost),
  }
}

/** The total with one more turn. The cost is not added here: agents report it as a running total, see `Costs`. */
export function withTurn(usage: Usage, turn: Usage | null): Usage {
  if (turn === null) return usage
  return {
    ...usage,
    inputTokens: sum(usage.inputTokens, turn.inputTokens),
    outputTokens: sum(usage.outputTokens, turn.outputTokens),
  }
}

/** The usage with the context window of an update. */
export function withContext(usage: Usage, update: Record<string, unknown>): Usage {
  const used = asNumber(update.used)
  const size = asNumber(update.size)
  return used === null || size === null || size <= 0 ? usage : { ...usage, context: { used, size } }
}

/** The cost of a run: agents report the running total of their session, and start again from zero in another session. */
export class Costs {
  #before = 0
  #session = 0
  #isTold = false
  #growsInSession = false
  #sessionId: string | null = null

  /** In US dollars; null until an agent reports a cost. */
  get usd(): number | null {
    return this.#isTold ? this.#before + this.#session : null
  }

  began(sessionId: string): void {
    if (sessionId !== this.#sessionId) this.#bank()
    this.#sessionId = sessionId
  }

  told(update: Record<string, unknown>): void {
    const amount = costOf(update.cost)
    if (amount === null) return
    this.#isTold = true
    this.#growsInSession = true
    // A restarted agent may count from zero although its session is the same.
    if (amount < this.#session) this.#bank()
    this.#session = amount
  }

  /** Adds the cost of a turn, only for an agent that reports no running total: otherwise it would count twice. */
  turn(said: unknown): void {
    const amount = costOf(asObject(said).cost)
    if (amount === null || this.#growsInSession) return
    this.#isTold = true
    this.#before += amount
  }

  #bank(): void {
    this.#before += this.#session
    this.#session = 0
  }
}
