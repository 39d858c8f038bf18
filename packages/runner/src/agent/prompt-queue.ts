import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import { AgentIgnoredCancel } from './agent.ts'

type Turn = {
  blocks: readonly ContentBlock[]
  resolve(response: PromptResponse): void
  reject(error: Error): void
  /** Running since the cancel. */
  patience: NodeJS.Timeout | null
  /** Resolves when the agent has answered, in any way. */
  over: Promise<void>
  end(): void
}

export type PromptQueueParts = {
  /** Resolves when the agent has answered. */
  send: (blocks: readonly ContentBlock[]) => Promise<PromptResponse>
  /** For how long an answer could have been read; 0 while reading is paused. */
  heardForMs: () => number
  /** How long a turn may go on after it was cancelled. */
  cancelPatienceMs: number
}

/** The turns of an agent, one after the other. */
export class PromptQueue {
  readonly #parts: PromptQueueParts
  /** The first one is under way. */
  readonly #turns: Turn[] = []

  constructor(parts: PromptQueueParts) {
    this.#parts = parts
  }

  /** Whether the running turn was cancelled. */
  get isCancelled(): boolean {
    return this.#turns[0] !== undefined && this.#turns[0].patience !== null
  }

  /** Resolves when the agent has answered the running turn; null if there is none. */
  get over(): Promise<void> | null {
    return this.#turns[0]?.over ?? null
  }

  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    return new Promise((resolve, reject) => {
      let end = () => {}
      const over = new Promise<void>((resolve) => {
        end = resolve
      })
      this.#turns.push({ blocks, resolve, reject, patience: null, over, end })
      // At once, or a cancel right after it would find no turn to end.
      if (this.#turns.length === 1) void this.#begin(this.#turns[0]!)
    })
  }

  /** The running turn is to end; false if there is none. */
  cancel(): boolean {
    const [turn] = this.#turns
    if (turn) turn.patience ??= this.#patience(turn)
    return turn !== undefined
  }

  async #begin(turn: Turn): Promise<void> {
    try {
      turn.resolve(await this.#parts.send(turn.blocks))
    } catch (error) {
      turn.reject(error as Error)
    }
    // Only now, even if the caller has given up: an agent works on one turn at a time.
    if (turn.patience) clearTimeout(turn.patience)
    turn.end()
    this.#turns.shift()
    const [next] = this.#turns
    if (next) void this.#begin(next)
  }

  #patience(turn: Turn, ms = this.#parts.cancelPatienceMs): NodeJS.Timeout {
    return setTimeout(() => {
      // Its answer may be in the pipe, unread.
      const left = this.#parts.cancelPatienceMs - this.#parts.heardForMs()
      if (left > 0) turn.patience = this.#patience(turn, left)
      else turn.reject(new AgentIgnoredCancel('The agent was told to end its turn and goes on.'))
    }, ms)
  }
}
