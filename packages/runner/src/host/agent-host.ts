import { sleep } from '@farhand/kit/sleep'
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
  /** By which the catalogue knows it. */
  id: string
  command: AgentCommand
  asks?: AgentAsks
  handlers: AgentHandlers
  orders: Orders
  say: (event: Notification) => void
  /** What it can remember, if that travels: looked at before it starts, and told when it knows the rest (W38). */
  memory?: { here(): Promise<AvailableSession>; told(): void } | null
  /** What people bring for it: in its place before it starts, with the servers of tools that are theirs (W45). */
  brought?: { ready(): Promise<NonNullable<AgentCommand['mcpServers']>> } | null
  start: (command: AgentCommand, handlers: AgentHandlers, signal: AbortSignal) => Promise<Agent>
  signal: AbortSignal
  /** How long it may take to open its session, and how long it is then waited for to take the mode it is told. */
  openMs?: number
  modeMs?: number
}

export type Ready = {
  agent: Agent
  /** It cannot remember what was said before, and nobody has told it yet. */
  isToBeBriefed: boolean
  /** It remembers what happened up to this event, and nobody has told it the rest; null if it remembers all. */
  since: number | null
  policy: DenyEnforcer
}

/** Keeps an agent at hand: starts it when it is needed, and anew when it has died, in the session it was in. */
export class AgentHost {
  readonly #parts: AgentHostParts
  #ready: Promise<Ready> | null = null
  #starting = new AbortController()
  /** The session that an agent died of when it was asked for it. */
  #fatal: string | null = null
  /** When the one that was left has ended. */
  #left: Promise<void> = Promise.resolve()
  /** The rewind that the one that is there was told of. */
  #rewoundAt = 0
  /** When the agent has taken all that people chose; one thing after the other. */
  #chosen: Promise<void> = Promise.resolve()

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

  /** The agent was told all that it could not remember. */
  told(ready: Ready): void {
    ready.isToBeBriefed = false
    ready.since = null
    this.#parts.memory?.told()
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

  /** Ends the one that is there, and one that is starting: it may never come to an end by itself. */
  async stop(): Promise<void> {
    this.#starting.abort(new AgentGone('The agent was stopped while it started.', noEnd))
    await (await this.current())?.stop()
  }

  /** Whether the run was rewound since this was last asked: the one that is there knows too much, and is left (W39). */
  leaveIfRewound(): boolean {
    const { rewoundAt } = this.#parts.orders
    if (rewoundAt === this.#rewoundAt) return false
    this.#rewoundAt = rewoundAt
    const stopped = this.stop()
    this.#ready = null
    this.#left = Promise.all([this.#left, stopped.catch(() => {})]).then(() => {})
    return true
  }

  /** Passes on what a person chooses to the agent that is there; one that is yet to start is told when it does. */
  heard({ notification: { method, params } }: SeenEvent): Promise<void> {
    const mode = method === 'session/set_mode' ? SetMode.safeParse(params).data : undefined
    const option = method === 'session/set_config_option' ? SetConfigOption.safeParse(params).data : undefined
    if (!mode && !option) return Promise.resolve()
    this.#chosen = this.#chosen.then(async () => {
      const agent = await this.current()
      if (agent) await orLate(this.#choose(agent, mode, option), this.#parts.modeMs)
    })
    return this.#chosen
  }

  /**
   * Resolves when the agent has taken what was chosen so far, or takes too long for that. Before it nothing is to be said
   * to the agent: many do what they are asked for side by side, and would begin in the mode before.
   */
  chosen(): Promise<void> {
    return this.#chosen
  }

  async #choose(agent: Agent, mode?: SetMode, option?: SetConfigOption): Promise<void> {
    try {
      if (mode) await this.#setMode(agent, mode.modeId)
      if (option) await this.#setOption(agent, option.configId, option.value)
    } catch (error) {
      // The agent's no is for whoever chose; one that has died is told again in its next life.
      if (!(error instanceof AgentRefused)) return
      const what = mode ? `the mode ${mode.modeId}` : `${option?.configId} to be this`
      const message = `The agent does not take ${what}: ${error.message}`
      this.#parts.say(event('error', { message }))
    }
  }

  /** Agents take a mode without a word: the log says that it is in force, unless another one was chosen since (W58). */
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
    this.#parts.say(event('session/update', { update }))
  }

  async #begin(): Promise<Ready> {
    const { signal, start, memory, brought, orders } = this.#parts
    // Two of them in one folder would work against each other.
    await this.#left
    const handlers = new OpeningHandlers(this.#parts.handlers)
    this.#starting = new AbortController()
    const enough = AbortSignal.any([signal, this.#starting.signal])
    // What it remembers has to be in its place before it looks.
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
    const { id, say, openMs = 120_000 } = this.#parts
    let isTooLong = false
    // One that greets and then says no more would be waited for until somebody looks.
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
    say(
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
    const { asks = {}, orders, modeMs = usualModeMs } = this.#parts
    const policy = new DenyEnforcer({ name: id, asks, orders, say, modeMs }, agent, session)
    return { agent, isToBeBriefed: how === 'briefed', since, policy }
  }

  /** An agent's own memory is better than being told; but it may have none, or not of this session. */
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

  /** The session that it was in last, if that has what went before. */
  #own(): string | null {
    const { id, orders } = this.#parts
    return orders.session?.agent === id && orders.memory !== 'doubtful' ? orders.session.sessionId : null
  }

  /** Null if the agent does not have that session any more. */
  async #given(session: Promise<AgentSession>, sessionId: string): Promise<AgentSession | null> {
    try {
      return await session
    } catch (error) {
      if (!(error instanceof AgentGone)) return null
      // The next one would die of it too: that one is told what was done instead.
      if (!this.#starting.signal.aborted) this.#fatal = sessionId
      throw error
    }
  }

  #tellUnreached(agent: Agent, command: AgentCommand): void {
    const { say } = this.#parts
    for (const { name } of (command.mcpServers ?? []).filter((server) => !canReach(agent.said, server))) {
      const message = `The agent cannot reach the MCP server "${name}" over the network, and works without it.`
      say(event('error', { message }))
    }
  }

  /** What was chosen was chosen for the run, not for a process: one that died in planning must not wake up at work. */
  async #tellAgain(agent: Agent, session: AgentSession): Promise<void> {
    const { modeId, config } = this.#parts.orders
    const told: Promise<unknown>[] = []
    if (modeId !== null && modeId !== session.modes?.currentModeId) told.push(this.#setMode(agent, modeId))
    for (const [configId, value] of config) told.push(this.#setOption(agent, configId, value))
    if (told.length === 0) return
    await orLate(Promise.allSettled(told), this.#parts.modeMs)
  }
}

/** The agent hears of it in any case; whether it ever answers is its own affair. */
async function orLate(taken: Promise<unknown>, limitMs = usualModeMs): Promise<void> {
  const enough = new AbortController()
  const late = sleep(limitMs, { signal: enough.signal }).catch(() => {})
  await Promise.race([taken, late])
  enough.abort()
}

const withServers = (command: AgentCommand, servers: NonNullable<AgentCommand['mcpServers']>) =>
  servers.length === 0 ? command : { ...command, mcpServers: [...(command.mcpServers ?? []), ...servers] }

const usualModeMs = 10_000

const noEnd = { code: null, signal: null, lastWords: '' }

const stateOf = ({ modes, configOptions }: AgentSession) => ({
  ...(modes && { modes }),
  ...(configOptions && { configOptions }),
})
