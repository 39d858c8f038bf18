import { sleep } from '@farhand/kit/sleep'
import type { AgentUpdate } from './agent.ts'

/** Updates about what was said and done. All others are about now: mode, commands, usage. */
const ofThePast = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
])

/** The user waits no longer than this for a replay. */
const mostMs = 5_000

/**
 * Filters the replay of a loaded session out of the updates (W26). Some agents answer first and replay later, so no
 * such update counts before the session's first prompt.
 */
export class ReplayFilter {
  readonly #quietMs: number
  #isTold = false
  #heardAt = 0

  constructor(quietMs: number) {
    this.#quietMs = quietMs
  }

  /** An old session is about to be loaded. */
  begin(): void {
    this.#isTold = true
  }

  /** From here on, every update is new. */
  end(): void {
    this.#isTold = false
  }

  /** Whether this update belongs to the replay, and is to be left out. */
  has({ sessionUpdate }: AgentUpdate): boolean {
    if (!this.#isTold || !ofThePast.has(sessionUpdate)) return false
    this.#heardAt = performance.now()
    return true
  }

  /** Resolves when the replay was quiet for a moment. */
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
