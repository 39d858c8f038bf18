import { within } from '@farhand/kit/within'
import { event } from '@farhand/protocol/events/event-names'
import type { AgentStart } from '@farhand/protocol/methods/agent'
import { SetConfigOption, SetMode } from '@farhand/protocol/methods/control'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import {
  type Agent,
  type AgentCommand,
  AgentGone,
  type AgentHandlers,
  AgentRefused,
  type AgentSession,
} from '../agent/agent.ts'
import { canReach } from '../agent/agent-replies.ts'
import type { AvailableSession } from '../memory/available-session.ts'
import type { Orders } from '../orders/orders.ts'
import { type AgentAsks, DenyEnforcer } from './deny-enforcer.ts'
import { OpeningHandlers } from './opening-handlers.ts'

export type AgentHostParts = {
  /** The agent's id in the catalogue. */
  id: string
  command: AgentCommand
  asks?: AgentAsks
  handlers: AgentHandlers
  orders: Orders
  emit: (event: Notification) => void
  /**
   * The agent's saved memory, if it travels (W38): looked up before the agent starts, and told when the agent knows
   * the rest.
   */
  memory?: { here(): Promise<AvailableSession>; told(): void } | null
  /** The user's own setup for the agent: installed before it starts; resolves with its MCP servers (W45). */
  brought?: { ready(): Promise<NonNullable<AgentCommand['mcpServers']>> } | null
  start: (command: AgentCommand, handlers: AgentHandlers, signal: AbortSignal) => Promise<Agent>
  signal: AbortSignal
  /** How long it may take to open its session, and to accept a mode. */
  openMs?: number
  modeMs?: number
}

export type Ready = {
  agent: Agent
  /** The agent does not remember what happened before, and was not briefed yet. */
  isToBeBriefed: boolean
  /** The agent remembers everything up to this event and was not briefed about the rest; null if it remembers all. */
  since: number | null
  policy: DenyEnforcer
}

/** Hosts an agent: starts it when it is needed, and again after it died, in the same session. */
export class AgentHost {
  readonly #parts: AgentHostParts
  #ready: Promise<Ready> | null = null
  #starting = new AbortController()
  /** The session that an agent died of when it was asked to load it. */
  #fatal: string | null = null
  /** Resolves when the agent that was left has ended. */
  #left: Promise<void> = Promise.resolve()
  /** The rewind that the running agent was started after. */
  #rewoundAt = 0
  /** Resolves when the agent has taken every choice of the users so far, one after the other. */
  #chosen: Promise<void> = Promise.resolve()

  constructor(parts: AgentHostParts) {
    this.#parts = parts
  }

  /** The agent, in its session and mode. Throws AgentGone if it cannot be started; the next call tries again. */
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

  /** The agent was briefed about everything it did not remember. */
  told(ready: Ready): void {
    ready.isToBeBriefed = false
    ready.since = null
    this.#parts.memory?.told()
  }

  /** The running agent, if there is one. */
  async current(): Promise<Agent | null> {
    try {
      return (await this.#ready)?.agent ?? null
    } catch {
      // It could not be started; the caller of `ready` gets the error.
      return null
    }
  }

  /** Ends the running agent and one that is starting, which might never finish starting. */
  async stop(): Promise<void> {
    this.#starting.abort(new AgentGone('The agent was stopped while it started.', noEnd))
    await (await this.current())?.stop()
  }

  /**
   * Leaves the running agent if the run was rewound since the last call: it remembers too much (W39). Returns whether
   * that was so.
   */
  leaveIfRewound(): boolean {
    const { rewoundAt } = this.#parts.orders
    if (rewoundAt === this.#rewoundAt) return false
    this.#rewoundAt = rewoundAt
    const stopped = this.stop()
    this.#ready = null
    this.#left = Promise.all([this.#left, stopped.catch(() => {})]).then(() => {})
    return true
  }

  get #modeMs(): number {
    return this.#parts.modeMs ?? defaultModeMs
  }

  /** Passes a user's choice of mode or option to the running agent; an agent that starts later is told then. */
  heard({ notification: { method, params } }: SeenEvent): Promise<void> {
    const mode = method === 'session/set_mode' ? SetMode.safeParse(params).data : undefined
    const option = method === 'session/set_config_option' ? SetConfigOption.safeParse(params).data : undefined
    if (!mode && !option) return Promise.resolve()
    this.#chosen = this.#chosen.then(async () => {
      const agent = await this.current()
      if (agent) await within(this.#modeMs, this.#choose(agent, mode, option))
    })
    return this.#chosen
  }

  /**
   * Resolves when the agent has taken all choices so far, or takes too long. No prompt may be sent before: many
   * agents handle requests concurrently, and would begin in the old mode.
   */
  chosen(): Promise<void> {
    return this.#chosen
  }

  async #choose(agent: Agent, mode?: SetMode, option?: SetConfigOption): Promise<void> {
    try {
      if (mode) await this.#setMode(agent, mode.modeId)
      if (option) await this.#setOption(agent, option.configId, option.value)
    } catch (error) {
      // A refusal is reported to the user; an agent that died is told again when it restarts.
      if (!(error instanceof AgentRefused)) return
      const what = mode ? `the mode ${mode.modeId}` : `${option?.configId} to be this`
      const message = `The agent refused ${what}: ${error.message}`
      this.#parts.emit(event('error', { message }))
    }
  }

  /** Agents take a mode without an answer: this event says that it is in force, unless another was chosen since (W58). */
  async #setMode(agent: Agent, modeId: string): Promise<void> {
    await agent.setMode(modeId)
    if (this.#parts.orders.modeId === modeId)
      this.#sayInForce({ sessionUpdate: 'current_mode_update', currentModeId: modeId })
  }

  async #setOption(agent: Agent, configId: string, value: unknown): Promise<void> {
    const configOptions = await agent.setConfigOption(configId, value)
    if (configOptions.length > 0) this.#sayInForce({ sessionUpdate: 'config_option_update', configOptions })
  }

  #sayInForce(update: { sessionUpdate: string } & Record<string, unknown>): void {
    this.#parts.emit(event('session/update', { update }))
  }

  async #begin(): Promise<Ready> {
    const { signal, start, memory, brought, orders } = this.#parts
    // Two agents in one folder would work against each other.
    await this.#left
    const handlers = new OpeningHandlers(this.#parts.handlers)
    this.#starting = new AbortController()
    const enough = AbortSignal.any([signal, this.#starting.signal])
    // The memory files must be in place before the agent looks for them.
    const here = (await memory?.here()) ?? { is: orders.isSessionElsewhere ? 'gone' : 'own' }
    const command = withServers(this.#parts.command, (await brought?.ready()) ?? [])
    const agent = await start(command, handlers, enough)
    const giveUp = () => void agent.stop()
    enough.addEventListener('abort', giveUp)
    try {
      if (enough.aborted) throw enough.reason
      return await this.#open(agent, handlers, here, command)
    } catch (error) {
      await agent.stop()
      throw error
    } finally {
      enough.removeEventListener('abort', giveUp)
    }
  }

  async #open(
    agent: Agent,
    handlers: OpeningHandlers,
    here: AvailableSession,
    command: AgentCommand,
  ): Promise<Ready> {
    const { id, emit, openMs = 120_000 } = this.#parts
    let isTooLong = false
    // An agent that greets and then hangs would be waited for forever.
    const limit = setTimeout(() => {
      isTooLong = true
      void agent.stop()
    }, openMs)
    const opening = this.#session(agent, here).finally(() => clearTimeout(limit))
    const { how, ...opened } = await opening.catch((error: unknown) => {
      if (!isTooLong) throw error
      const message = `The agent "${command.name ?? command.command}" did not open a session within ${openMs / 1000} s.`
      throw new AgentGone(message, noEnd, { cause: error })
    })
    const session = handlers.opened(opened.session)
    emit(
      event('agent_start', {
        agent: id,
        sessionId: session.sessionId,
        how,
        said: agent.said,
        cwd: command.cwd,
        ...stateOf(session),
      }),
    )
    this.#tellUnreached(agent, command)
    await this.#tellAgain(agent, session)
    const isRemembered = how === 'loaded' || how === 'resumed'
    const since = isRemembered && here.is === 'as-of' ? here.since : null
    const { asks = {}, orders } = this.#parts
    const policy = new DenyEnforcer({ name: id, asks, orders, emit, modeMs: this.#modeMs }, agent, session)
    return { agent, isToBeBriefed: how === 'briefed', since, policy }
  }

  /** Resumes or loads the agent's own session where possible, which is better than a briefing. */
  async #session(
    agent: Agent,
    here: AvailableSession,
  ): Promise<{ session: AgentSession; how: AgentStart['how'] }> {
    const { orders } = this.#parts
    const last = here.is === 'as-of' ? here.sessionId : here.is === 'own' ? this.#own() : null
    const before = last === this.#fatal ? null : last
    const { loadSession, sessionCapabilities } = agent.said.agentCapabilities ?? {}
    if (before !== null && sessionCapabilities?.resume) {
      const session = await this.#given(agent.resumeSession(before), before)
      if (session) return { session, how: 'resumed' }
    }
    if (before !== null && loadSession) {
      const session = await this.#given(agent.loadSession(before), before)
      if (session) return { session, how: 'loaded' }
    }
    const session = await agent.newSession()
    return { session, how: orders.hasWorked ? 'briefed' : 'new' }
  }

  /** The agent's last session, if that knows what happened before. */
  #own(): string | null {
    const { id, orders } = this.#parts
    return orders.session?.agent === id && orders.memory !== 'doubtful' ? orders.session.sessionId : null
  }

  /** Null if the agent no longer has that session. */
  async #given(session: Promise<AgentSession>, sessionId: string): Promise<AgentSession | null> {
    try {
      return await session
    } catch (error) {
      if (!(error instanceof AgentGone)) return null
      // The next agent would die of it, too: it gets a new session and a briefing.
      if (!this.#starting.signal.aborted) this.#fatal = sessionId
      throw error
    }
  }

  #tellUnreached(agent: Agent, command: AgentCommand): void {
    const { emit } = this.#parts
    for (const { name } of (command.mcpServers ?? []).filter((server) => !canReach(agent.said, server))) {
      const message = `The agent cannot reach the MCP server "${name}" over the network, and works without it.`
      emit(event('error', { message }))
    }
  }

  /** Choices hold for the run, not for a process: an agent that died in plan mode must not restart in a working mode. */
  async #tellAgain(agent: Agent, session: AgentSession): Promise<void> {
    const { modeId, config } = this.#parts.orders
    const told: Promise<unknown>[] = []
    if (modeId !== null && modeId !== session.modes?.currentModeId) told.push(this.#setMode(agent, modeId))
    for (const [configId, value] of config) told.push(this.#setOption(agent, configId, value))
    if (told.length === 0) return
    // The agent gets the request in any case; it may never answer.
    await within(this.#modeMs, Promise.allSettled(told))
  }
}

const withServers = (command: AgentCommand, servers: NonNullable<AgentCommand['mcpServers']>) =>
  servers.length === 0 ? command : { ...command, mcpServers: [...(command.mcpServers ?? []), ...servers] }

const defaultModeMs = 10_000

const noEnd = { code: null, signal: null, lastWords: '' }

const stateOf = ({ modes, configOptions }: AgentSession) => ({
  ...(modes && { modes }),
  ...(configOptions && { configOptions }),
})
