import type { Notification } from '@farhand/protocol/event'
import type { AgentStart } from '@farhand/protocol/methods/agent'
import { SetConfigOption, SetMode } from '@farhand/protocol/methods/control'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import type { Orders } from '../turns/orders.ts'
import { type Agent, type AgentCommand, type AgentEars, AgentRefused, type AgentSession } from './agent.ts'

export type AgentHostParts = {
  /** By which the catalogue knows it. */
  id: string
  command: AgentCommand
  ears: AgentEars
  orders: Orders
  say: (event: Notification) => void
  start: (command: AgentCommand, ears: AgentEars, signal: AbortSignal) => Promise<Agent>
  signal: AbortSignal
}

export type Ready = {
  agent: Agent
  /** It cannot remember what was said before, and nobody has told it yet. */
  isToBeBriefed: boolean
}

/** Keeps an agent at hand: starts it when it is needed, and anew when it has died, in the session it was in. */
export class AgentHost {
  readonly #parts: AgentHostParts
  #ready: Promise<Ready> | null = null

  constructor(parts: AgentHostParts) {
    this.#parts = parts
  }

  /** The agent, in its session and in the mode it was told. Throws AgentGone if it cannot be started; the next call tries again. */
  ready(): Promise<Ready> {
    if (this.#ready) return this.#ready
    const ready = this.#begin()
    this.#ready = ready
    const forget = () => {
      if (this.#ready === ready) this.#ready = null
    }
    ready.then(({ agent }) => agent.ended.then(forget), forget)
    return ready
  }

  /** The one that is there, if it is. */
  async current(): Promise<Agent | null> {
    try {
      return (await this.#ready)?.agent ?? null
    } catch {
      // It could not be started: whoever needs it was told so.
      return null
    }
  }

  async stop(): Promise<void> {
    await (await this.current())?.stop()
  }

  /** Passes on what a person chooses to the agent that is there; one that is yet to start is told when it does. */
  async heard({ notification: { method, params } }: SeenEvent): Promise<void> {
    const mode = method === 'session/set_mode' ? SetMode.safeParse(params).data : undefined
    const option = method === 'session/set_config_option' ? SetConfigOption.safeParse(params).data : undefined
    const agent = mode || option ? await this.current() : null
    try {
      if (mode) await agent?.setMode(mode.modeId)
      if (option) await agent?.setConfigOption(option.configId, option.value)
    } catch (error) {
      // The agent's no is for whoever chose; one that has died is told again in its next life.
      if (!(error instanceof AgentRefused)) return
      const what = mode ? `the mode ${mode.modeId}` : `${option?.configId} to be this`
      const message = `The agent does not take ${what}: ${error.message}`
      this.#parts.say({ jsonrpc: '2.0', method: '_posthog/error', params: { message } })
    }
  }

  async #begin(): Promise<Ready> {
    const { command, ears, id, say, start, signal } = this.#parts
    const agent = await start(command, ears, signal)
    try {
      const { session, how } = await this.#session(agent)
      say({
        jsonrpc: '2.0',
        method: '_posthog/agent_start',
        params: { agent: id, sessionId: session.sessionId, how, said: agent.said, ...stateOf(session) },
      })
      await this.#tellAgain(agent, session)
      return { agent, isToBeBriefed: how === 'briefed' }
    } catch (error) {
      await agent.stop()
      throw error
    }
  }

  /** An agent's own memory is better than being told; but it may have none, or not of this session. */
  async #session(agent: Agent): Promise<{ session: AgentSession; how: AgentStart['how'] }> {
    const { id, orders } = this.#parts
    const isOwn = orders.session?.agent === id && orders.memory !== 'doubtful'
    const before = isOwn ? orders.session!.sessionId : null
    const { loadSession, sessionCapabilities } = agent.said.agentCapabilities ?? {}
    if (before !== null && sessionCapabilities?.resume) {
      const session = await agent.resumeSession(before).catch(() => null)
      if (session) return { session, how: 'resumed' }
    }
    if (before !== null && loadSession) {
      const session = await agent.loadSession(before).catch(() => null)
      if (session) return { session, how: 'loaded' }
    }
    const session = await agent.newSession()
    return { session, how: orders.hasWorked ? 'briefed' : 'new' }
  }

  /** What a person chose was chosen for the run, not for a process. */
  async #tellAgain(agent: Agent, session: AgentSession): Promise<void> {
    const { modeId, config } = this.#parts.orders
    if (modeId !== null && modeId !== session.modes?.currentModeId)
      await agent.setMode(modeId).catch(() => {})
    for (const [configId, value] of config) await agent.setConfigOption(configId, value).catch(() => {})
  }
}

const stateOf = ({ modes, configOptions }: AgentSession) => ({
  ...(modes && { modes }),
  ...(configOptions && { configOptions }),
})
