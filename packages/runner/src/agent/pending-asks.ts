import type { AgentAsk } from './agent.ts'
import type { Answer, RequestId } from './json-rpc-lines.ts'

export const askMethods: ReadonlySet<string> = new Set<AgentAsk['method']>([
  'session/request_permission',
  'elicitation/create',
])

const cancelledRequest: Answer = { error: { code: -32800, message: 'Request cancelled' } }

type Pending = { ask: AgentAsk; withdrawal: AbortController }

/** The agent's open requests; each gets exactly one answer, withdrawn or not. */
export class PendingAsks {
  readonly #answer: (id: RequestId, answer: Answer) => void
  readonly #pending = new Map<RequestId, Pending>()

  constructor(answer: (id: RequestId, answer: Answer) => void) {
    this.#answer = answer
  }

  add(id: RequestId, method: AgentAsk['method'], params: AgentAsk['params']): AgentAsk {
    const withdrawal = new AbortController()
    const reply = (result: unknown) => {
      if (this.#pending.get(id)?.ask !== ask) return
      this.#pending.delete(id)
      this.#answer(id, { result })
    }
    const ask = { method, params, reply, withdrawn: withdrawal.signal }
    // An agent that uses an id twice gets one answer only.
    this.#pending.get(id)?.withdrawal.abort()
    this.#pending.set(id, { ask, withdrawal })
    return ask
  }

  /** ACP requires that a cancelled turn answers all open permissions as cancelled. */
  cancelAll(): void {
    for (const [id, { ask }] of this.#pending) this.#withdraw(id, cancelled(ask.method))
  }

  /** Handles a notification that withdraws a request; false if it is none. */
  takeBack(method: string, params: unknown): boolean {
    const said = (params ?? {}) as { requestId?: RequestId; id?: RequestId; elicitationId?: unknown }
    switch (method) {
      case '$/cancel_request':
        if (said.requestId !== undefined) this.#withdraw(said.requestId, cancelledRequest)
        return true
      // The spelling of the Language Server Protocol.
      case '$/cancelRequest':
        if (said.id !== undefined) this.#withdraw(said.id, cancelledRequest)
        return true
      case 'elicitation/complete':
        // The user did what the page asked for; the host did not see it.
        if (typeof said.elicitationId !== 'string') return true
        for (const [id, { ask }] of this.#pending) {
          if (ask.params.elicitationId === said.elicitationId)
            this.#withdraw(id, { result: { action: 'accept' } })
        }
        return true
      default:
        return false
    }
  }

  #withdraw(id: RequestId, answer: Answer): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    this.#answer(id, answer)
    pending.withdrawal.abort()
  }
}

/** How ACP answers a request whose turn is cancelled. */
export const cancelled = (method: AgentAsk['method']): Answer => ({
  result:
    method === 'session/request_permission' ? { outcome: { outcome: 'cancelled' } } : { action: 'cancel' },
})
