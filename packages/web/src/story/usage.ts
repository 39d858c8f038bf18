import type { Usage } from './story.ts'
import { asNumber, asObject, isObject } from './untyped-values.ts'

const isUsd = (cost: Record<string, unknown>) =>
  typeof cost.currency === 'string' && cost.currency.toUpperCase() === 'USD'

const costOf = (value: unknown): number | null => {
  const cost = asObject(value)
  return isUsd(cost) ? asNumber(cost.amount) : null
}

const sum = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : one + other

/** What one turn has used, as its end tells it; null if that tells nothing. */
export function turnUsage(said: unknown): Usage | null {
  if (!isObject(said)) return null
  return {
    inputTokens: asNumber(said.inputTokens),
    outputTokens: asNumber(said.outputTokens),
    context: null,
    costUsd: costOf(said.cost),
  }
}

/** All turns together with one more. Its cost is not added: agents tell that as it grows, see `Costs`. */
export function withTurn(usage: Usage, turn: Usage | null): Usage {
  if (turn === null) return usage
  return {
    ...usage,
    inputTokens: sum(usage.inputTokens, turn.inputTokens),
    outputTokens: sum(usage.outputTokens, turn.outputTokens),
  }
}

/** What an update tells of how much of its memory an agent has filled, on top of what was known. */
export function withContext(usage: Usage, update: Record<string, unknown>): Usage {
  const used = asNumber(update.used)
  const size = asNumber(update.size)
  return used === null || size === null || size <= 0 ? usage : { ...usage, context: { used, size } }
}

/** What a run has cost: agents tell what their session has cost so far, and begin anew with another session. */
export class Costs {
  #before = 0
  #session = 0
  #isTold = false
  #growsInSession = false
  #sessionId: string | null = null

  /** In US dollars; null as long as nobody told any. */
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
    // An agent that was started again may count from nothing although its session is the same.
    if (amount < this.#session) this.#bank()
    this.#session = amount
  }

  /** Only of an agent that tells of no other: else it would count twice. */
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
