import type { AcpMessage, AgentConnection } from '@farhand/client/agent/agent-connection'
import { eventOf } from '@farhand/protocol/events/acp-updates'
import { event } from '@farhand/protocol/events/event-names'
import { UserMessage } from '@farhand/protocol/methods/conversation'
import { UserResponse } from '@farhand/protocol/methods/questions'
import { RunMode } from '@farhand/protocol/schemas/api'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import { startAgent } from '@farhand/runner/agent/acp-agent'
import type { AgentCommand, AgentHandlers } from '@farhand/runner/agent/agent'
import { Briefing } from '@farhand/runner/briefing/briefing'
import { AgentHost } from '@farhand/runner/host/agent-host'
import { Allowance } from '@farhand/runner/limits/allowance'
import { Budget } from '@farhand/runner/limits/budget'
import { type Message, Orders } from '@farhand/runner/orders/orders'
import { askUser } from '@farhand/runner/questions/ask-user'
import { PendingQuestions } from '@farhand/runner/questions/pending-questions'
import { nextStep } from '@farhand/runner/turns/next-step'
import { type AgentKnowledge, promptBlocks } from '@farhand/runner/turns/prompt-blocks'
import { Turn } from '@farhand/runner/turns/turn'
import type { z } from 'zod'
import { LocalLog } from './local-log.ts'
import { TurnEvents } from './turn-events.ts'

export type LocalConnectionOptions = {
  /** The name of this conversation: processes that an earlier agent of this name left behind are ended first. */
  sessionId: string
  agent: { id: string; command: AgentCommand }
  /** How much of a turn may wait for its reader; beyond that, the agent is paused. */
  mostUnreadBytes?: number
  /** Called with an error that a handler threw. */
  onFault: (error: unknown) => void
}

// Without a hub there is one runner and one user.
const generation = 1
const host: SeenAuthor = { kind: 'runner', generation }
const person: SeenAuthor = { kind: 'device', id: 'local' }
const hub: SeenAuthor = { kind: 'hub' }

/**
 * An agent on this machine, without a hub. It starts with the first message, and emits the same events as in a run; but
 * they exist only in this process, and are lost when it ends.
 */
export class LocalConnection implements AgentConnection {
  readonly #options: LocalConnectionOptions
  readonly #log: LocalLog
  readonly #orders = new Orders()
  readonly #budget = new Budget()
  readonly #briefing = new Briefing()
  readonly #asking: PendingQuestions
  readonly #host: AgentHost
  readonly #closing = new AbortController()
  readonly #readers = new Set<TurnEvents>()
  #over: { why: unknown } | null = null
  #turn: Turn | null = null
  #working: Promise<void> = Promise.resolve()
  #activity = 0

  constructor(options: LocalConnectionOptions) {
    this.#options = options
    const { sessionId, agent, onFault } = options
    const orders = this.#orders
    this.#log = new LocalLog(onFault)
    this.#asking = new PendingQuestions({
      orders,
      mark: (said) => this.#mark(said),
    })
    this.#host = new AgentHost({
      ...agent,
      orders,
      handlers: this.#handlers(),
      emit: (said) => void this.#append(said, host),
      start: (command, handlers, signal) => startAgent(command, handlers, { signal, mark: sessionId }),
      signal: this.#closing.signal,
    })
    this.#append(event('session_start', { generation }), hub)
  }

  /**
   * The events from the acknowledgement of this message to its `turn_complete`. The message is sent when the first
   * event is requested; ending the iteration does not stop the turn. Throws `run.closed` if the connection is closed
   * before the end.
   */
  async *prompt(params: { sessionId: string; prompt: string }): AsyncGenerator<AcpMessage, void, undefined> {
    const said = { content: params.prompt }
    const { id } = this.#post(params, event('user_message', checked(UserMessage, said)))
    const { mostUnreadBytes: mostBytes = 8 * 1024 * 1024 } = this.#options
    const events = new TurnEvents(id, { mostBytes, onRoom: () => this.#resumeReading() })
    const deafen = this.#log.listen(({ notification }) => {
      events.take(notification)
      if (events.isFull && !this.#over) void this.#host.current().then((agent) => agent?.pauseReading())
    })
    this.#readers.add(events)
    try {
      this.#act()
      yield* events.read()
    } finally {
      deafen()
      this.#readers.delete(events)
      this.#resumeReading()
    }
  }

  async cancel(params: { sessionId: string }): Promise<void> {
    this.#post(params, event('cancel', {}))
    this.#act()
  }

  /**
   * Resolves when the running agent, if there is one, has been told its mode; a refused mode is reported in an event.
   */
  async setMode(params: { sessionId: string; mode: string }): Promise<void> {
    const { mode } = params
    const runMode = RunMode.safeParse(mode).data
    const chosen = runMode
      ? event('mode_change', { mode: runMode })
      : event('session/set_mode', { modeId: mode })
    await this.#host.heard(this.#post(params, chosen))
  }

  /** Answers an open question. Only the first answer counts; after an invalid one the question stays open. */
  async answer(params: { sessionId: string; questionId: string; answer: unknown }): Promise<void> {
    const { questionId, answer } = params
    this.#post(params, event('user_response', checked(UserResponse, { questionId, answer })))
    this.#asking.heard()
  }

  onEvent(handler: (event: AcpMessage) => void): () => void {
    return this.#log.listen(({ notification }) => handler(notification))
  }

  /** Ends the turn, the agent, and every process that the agent started. May be called again. */
  async close(): Promise<void> {
    const why = new Fault('run.closed', 'the connection to this agent was closed')
    this.#over ??= { why }
    this.#closing.abort()
    this.#resumeReading()
    this.#turn?.cancel()
    this.#asking.endAll('cancelled')
    await this.#working
    await this.#host.stop()
    for (const events of this.#readers) events.fail(why)
  }

  /** Resumes the agent's output, unless a reader is still too far behind; on close it always resumes. */
  #resumeReading(): void {
    if (!this.#over && [...this.#readers].some(({ isFull }) => isFull)) return
    void this.#host.current().then((agent) => agent?.resumeReading())
  }

  #handlers(): AgentHandlers {
    return {
      update: (update) => {
        if (/^(agent_message_chunk|tool_call)/.test(update.sessionUpdate)) this.#activity += 1
        this.#append(eventOf(update), host)
      },
      asked: (ask) => {
        const { cwd } = this.#options.agent.command
        askUser(ask, this.#asking, cwd).catch((why) => this.#fail(why))
      },
      unknown: () => {},
    }
  }

  /** Begins the next turn, or cancels the current one. */
  #act(): void {
    if (this.#over) return
    const step = nextStep(this.#orders, { generation, turn: this.#turn, ending: new Set() })
    if (step?.do === 'begin') this.#begin(step.messageId)
    if (step?.do !== 'cancel') return
    this.#turn?.cancel()
    this.#asking.endAll('cancelled')
  }

  #begin(messageId: number): void {
    const parts = {
      orders: this.#orders,
      host: this.#host,
      mark: (said: Notification) => this.#mark(said),
      blocks: (message: Message, knows: AgentKnowledge) => this.#blocks(message, knows),
      allowance: new Allowance(this.#budget, this.#asking),
      activity: () => this.#activity,
      agentGone: () => this.#agentGone(),
      settled: async () => {},
    }
    const turn = new Turn(parts, messageId, false)
    this.#turn = turn
    this.#working = turn
      .run()
      .catch((why) => this.#fail(why))
      .finally(() => {
        this.#turn = null
        this.#act()
      })
  }

  async #blocks(message: Message, knows: AgentKnowledge): ReturnType<typeof promptBlocks> {
    const agent = await this.#host.current()
    const takes = agent?.said.agentCapabilities?.promptCapabilities ?? {}
    const attached = async function* () {}
    return promptBlocks(message, knows, { attached, briefing: this.#briefing, changed: [], takes })
  }

  /** Ends the open questions and tool calls of an agent that died. */
  #agentGone(): void {
    this.#asking.endAll('superseded')
    const content = [
      { type: 'content', content: { type: 'text', text: 'Interrupted: the agent process ended.' } },
    ]
    for (const toolCallId of [...this.#orders.openTools.keys()])
      this.#append(event('tool_result', { toolCallId, status: 'failed', content }), host)
  }

  #post({ sessionId }: { sessionId: string }, said: Notification): SeenEvent {
    const { sessionId: own } = this.#options
    if (sessionId !== own)
      throw new Fault('session.mismatch', `this connection speaks for ${own}, not for ${sessionId}`)
    if (this.#over) throw this.#over.why
    return this.#append(said, person)
  }

  async #mark(said: Notification): Promise<void> {
    this.#append(said, host)
  }

  #append(said: Notification, by: SeenAuthor): SeenEvent {
    return this.#log.append(said, by, (event) => {
      this.#orders.take(event)
      this.#budget.take(event)
      this.#briefing.take(event)
    })
  }

  #fail(why: unknown): void {
    this.#over ??= { why }
    for (const events of this.#readers) events.fail(why)
    this.#options.onFault(why)
  }
}

/** Rejects what a hub would reject. */
function checked<Schema extends z.ZodType>(schema: Schema, said: z.input<Schema>): z.input<Schema> {
  const { success, error } = schema.safeParse(said)
  if (!success) throw new Fault('request.malformed', error?.message ?? 'this cannot be said')
  return said
}
