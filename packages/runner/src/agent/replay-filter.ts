import { sleep } from '@farhand/kit/sleep'
import type { AgentUpdate } from './agent.ts'

/** What was said and done in a session. All else that an agent tells is about now: its mode, its commands, its usage. */
const ofThePast = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
])

/** However long an agent tells its past, its user does not wait for longer than this. */
const mostMs = 5_000

/**
 * Tells the past of a session that is loaded from what happens now (W26). Some agents answer first and tell the past
 * afterwards, so nothing of that kind counts before the session has its first prompt.
 */
export class ReplayFilter {
  readonly #quietMs: number
  #isTold = false
  #heardAt = 0

  constructor(quietMs: number) {
    this.#quietMs = quietMs
  }

  /** A session from before is asked for. */
  begin(): void {
    this.#isTold = true
  }

  /** From here on everything is new. */
  end(): void {
    this.#isTold = false
  }

  /** Whether this update is of the past, and to be left out. */
  has({ sessionUpdate }: AgentUpdate): boolean {
    if (!this.#isTold || !ofThePast.has(sessionUpdate)) return false
    this.#heardAt = performance.now()
    return true
  }

  /** Resolves when nothing of the past has come for a moment. */
  async over(): Promise<void> {
    const begun = performance.now()
    this.#heardAt = Math.max(this.#heardAt, begun)
    for (;;) {
      const now = performance.now()
      const leftMs = Math.min(this.#heardAt + this.#quietMs, begun + mostMs) - now
      if (leftMs <= 0) return
      await sleep(leftMs)
    }
  }
}
