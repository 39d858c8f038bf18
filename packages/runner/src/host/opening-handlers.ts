import type { AgentAsk, AgentHandlers, AgentSession, AgentUpdate } from '../agent/agent.ts'
import { announcedMode } from '../orders/orders.ts'

/**
 * Passes on everything but the mode that an agent announces while it opens its session. Every agent process announces
 * its default mode then: taken as a change, it would overwrite the mode that a user or the agent chose.
 */
export class OpeningHandlers implements AgentHandlers {
  readonly #handlers: AgentHandlers
  #isOpen = false
  #modeId: string | null = null

  constructor(handlers: AgentHandlers) {
    this.#handlers = handlers
  }

  /** The session is open, in the mode announced last. */
  opened(session: AgentSession): AgentSession {
    this.#isOpen = true
    if (this.#modeId === null) return session
    const { availableModes = [], ...modes } = session.modes ?? {}
    return { ...session, modes: { ...modes, availableModes, currentModeId: this.#modeId } }
  }

  update(update: AgentUpdate): void {
    const modeId = this.#isOpen ? null : announcedMode(update)
    if (modeId === null) this.#handlers.update(update)
    else this.#modeId = modeId
  }

  asked(ask: AgentAsk): void {
    this.#handlers.asked(ask)
  }

  unknown(frame: string): void {
    this.#handlers.unknown(frame)
  }
}
