import type {
  ContentBlock,
  InitializeResponse,
  PromptResponse,
  SessionConfigOption,
} from '@agentclientprotocol/sdk'
import {
  type Agent,
  type AgentAsk,
  type AgentCommand,
  type AgentEnd,
  AgentGone,
  type AgentHandlers,
  AgentRefused,
  type AgentSession,
  type AgentUpdate,
} from './agent.ts'
import { AgentProcess } from './agent-process.ts'
import {
  canReach,
  configOptionsOf,
  greetingOf,
  hasTaken,
  isObject,
  isUpdate,
  promptResponseOf,
  saysSteering,
  sessionOf,
} from './agent-replies.ts'
import { JsonRpcLines, methodNotFound, type RequestId } from './json-rpc-lines.ts'
import { askMethods, cancelled, PendingAsks } from './pending-asks.ts'
import { PromptQueue } from './prompt-queue.ts'
import { ReplayFilter } from './replay-filter.ts'
import { signInFirst, unattendedWay } from './sign-in.ts'

export type AgentOptions = {
  /**
   * A name for this agent's place, the same whenever its host restarts: processes with that name that a killed host
   * left behind are ended before this agent begins.
   */
  mark?: string
  startMs?: number
  /** How long a turn may go on after it was cancelled. */
  cancelPatienceMs?: number
  /** How long a loaded session must be quiet until its replay counts as over. */
  quietMs?: number
  signal?: AbortSignal
}

const protocolVersion = 1
const authRequired = -32000
const invalidParams = -32602
/** How long a pipe is read on after all known writers are gone. */
const drainMs = 1000

const greeting = {
  protocolVersion,
  // The agent handles files and commands itself; with `fs` on, some agents cannot create files any more.
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {}, url: {} },
  },
  clientInfo: { name: 'farhand', title: 'Farhand', version: '0.1.0' },
}

/**
 * Starts an agent that speaks ACP on its standard input and output. Rejects with AgentGone, AgentRefused or the
 * signal's reason, and then leaves no process behind; each call is a new attempt.
 */
export async function startAgent(
  command: AgentCommand,
  handlers: AgentHandlers,
  { mark, startMs = 120_000, cancelPatienceMs = 10_000, quietMs = 150, signal }: AgentOptions = {},
): Promise<Agent> {
  signal?.throwIfAborted()
  const process = await AgentProcess.start(command, mark)
  const agent = new AcpAgent(process, command, handlers, { cancelPatienceMs, quietMs })
  const tooLong = new AbortController()
  const late = setTimeout(() => tooLong.abort(), startMs)
  const enough = signal ? AbortSignal.any([signal, tooLong.signal]) : tooLong.signal
  const giveUp = () => void agent.stop()
  enough.addEventListener('abort', giveUp)
  try {
    enough.throwIfAborted()
    await agent.initialize()
    return agent
  } catch (error) {
    const end = await agent.stop()
    signal?.throwIfAborted()
    if (!tooLong.signal.aborted) throw withReadable(error, command)
    const message = `The agent "${command.name ?? command.command}" did not answer within ${startMs / 1000} s of its start.`
    throw new AgentGone(message + lastWords(end), end, { cause: error })
  } finally {
    clearTimeout(late)
    enough.removeEventListener('abort', giveUp)
  }
}

/** A new session may send updates before its id is known; a loaded session replays its past. */
type Opening = 'new' | 'loaded' | 'resumed'

class AcpAgent implements Agent {
  readonly #process: AgentProcess
  readonly #command: AgentCommand
  readonly #handlers: AgentHandlers
  readonly #peer: JsonRpcLines
  readonly #asks: PendingAsks
  readonly ended: Promise<AgentEnd>
  said: InitializeResponse = { protocolVersion }
  #sessionId: string | null = null
  #opening: Opening | null = null
  readonly #replay: ReplayFilter
  readonly #turns: PromptQueue
  #isHeld = false
  #heardSince = Number.NEGATIVE_INFINITY
  #isGone = false
  #greeting: string | null = null

  constructor(
    process: AgentProcess,
    command: AgentCommand,
    handlers: AgentHandlers,
    { cancelPatienceMs, quietMs }: { cancelPatienceMs: number; quietMs: number },
  ) {
    this.#replay = new ReplayFilter(quietMs)
    this.#process = process
    this.#command = command
    this.#handlers = handlers
    this.#peer = new JsonRpcLines(process.output, process.input, {
      notified: (method, params, line) => this.#notified(method, params, line),
      requested: (id, method, params, line) => this.#requested(id, method, params, line),
      unknown: (line) => handlers.unknown(line),
    })
    this.#asks = new PendingAsks((id, answer) => this.#peer.answer(id, answer))
    this.#turns = new PromptQueue({
      send: (blocks) => this.#send(blocks),
      heardForMs: () => (this.#isHeld ? 0 : performance.now() - this.#heardSince),
      cancelPatienceMs,
    })
    this.ended = this.#end()
    // An agent that has closed its output can neither report nor ask anything any more.
    process.output.once('end', () => void this.stop())
  }

  get #name(): string {
    return this.#command.name ?? this.#command.command
  }

  async initialize(): Promise<void> {
    const said = (await this.#request('initialize', greeting).catch((error: unknown) => {
      // Programs that echo their input also get here.
      if (error instanceof AgentRefused && error.code === methodNotFound) return null
      throw error
    })) as InitializeResponse | null
    const theirs = said?.protocolVersion
    if (said && theirs === protocolVersion) {
      this.said = said
      return
    }
    const what =
      theirs === undefined
        ? `does not speak the Agent Client Protocol: ${shownCommand(this.#command)} does not answer as it asks for. Look at the command and its arguments; many programs speak it only with one, such as --acp.`
        : `speaks version ${theirs} of the Agent Client Protocol, and we speak ${protocolVersion}. Install a version of it that does too.`
    // Not AgentGone: a second start would give the same answer.
    throw new AgentRefused(`The agent "${this.#name}" ${what}`, methodNotFound, undefined)
  }

  newSession(): Promise<AgentSession> {
    return this.#open('new', 'session/new', null)
  }

  async loadSession(sessionId: string): Promise<AgentSession> {
    if (!this.said.agentCapabilities?.loadSession) throw cannot('load a session')
    return await this.#open('loaded', 'session/load', sessionId)
  }

  async resumeSession(sessionId: string): Promise<AgentSession> {
    if (!this.said.agentCapabilities?.sessionCapabilities?.resume) throw cannot('resume a session')
    return await this.#open('resumed', 'session/resume', sessionId)
  }

  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    return this.#turns.prompt(blocks)
  }

  get canBeSteered(): boolean {
    return saysSteering(this.said)
  }

  async steer(prompt: readonly ContentBlock[]): Promise<boolean> {
    const { over } = this.#turns
    if (!this.canBeSteered || this.#turns.isCancelled || !over) return false
    // Otherwise the agent might begin a new turn with it, whose end the runner would not see.
    const _meta = { steering: { idleBehavior: 'promptRequired' } }
    const said = this.#request('_session/steering', { sessionId: this.#session, prompt, _meta })
    // Only a confirmed answer counts: an agent that refused, died or ended its turn has not taken the message.
    return hasTaken(await Promise.race([said.catch(() => null), over]))
  }

  cancel(): void {
    if (!this.#turns.cancel()) return
    this.#peer.notify('session/cancel', { sessionId: this.#sessionId })
    this.#asks.cancelAll()
  }

  async setMode(modeId: string): Promise<void> {
    await this.#request('session/set_mode', { sessionId: this.#session, modeId })
  }

  async setConfigOption(configId: string, value: unknown): Promise<readonly SessionConfigOption[]> {
    const type = typeof value === 'boolean' ? { type: 'boolean' } : {}
    const params = { sessionId: this.#session, configId, value, ...type }
    const said = await this.#request('session/set_config_option', params)
    return configOptionsOf(said) ?? []
  }

  pauseReading(): void {
    // Little is left in the pipe, and the part that would resume reading may be stopped already.
    if (this.#isGone) return
    this.#isHeld = true
    this.#peer.pauseReading()
  }

  resumeReading(): void {
    if (this.#isHeld) this.#heardSince = performance.now()
    this.#isHeld = false
    this.#peer.resumeReading()
  }

  async stop(): Promise<AgentEnd> {
    await this.#process.stop()
    return await this.ended
  }

  get #session(): string {
    if (this.#sessionId === null) throw new Error('the agent has no session yet')
    return this.#sessionId
  }

  async #end(): Promise<AgentEnd> {
    await this.#process.gone
    this.#isGone = true
    this.resumeReading()
    const tooLong = setTimeout(() => this.#process.closePipes(), drainMs)
    await Promise.all([this.#peer.drained, this.#process.lastWordsHeard])
    clearTimeout(tooLong)
    const { end } = this.#process
    const how = end.signal === null ? `with exit code ${end.code}` : `by ${end.signal}`
    this.#peer.close(new AgentGone(`The agent "${this.#name}" ended ${how}.${lastWords(end)}`, end))
    this.#asks.cancelAll()
    return end
  }

  async #open(opening: Opening, method: string, sessionId: string | null): Promise<AgentSession> {
    this.#opening = opening
    if (opening !== 'new') this.#replay.begin()
    try {
      const named = sessionId === null ? {} : { sessionId }
      const { cwd, mcpServers = [] } = this.#command
      const reached = mcpServers.filter((server) => canReach(this.said, server))
      const params = { ...named, cwd, mcpServers: reached }
      const said = await this.#signedIn(() => this.#ask(method, params))
      const session = sessionOf(said, sessionId)
      this.#sessionId = session.sessionId
      this.#greeting = greetingOf(said)
      if (opening === 'loaded') {
        this.#opening = null
        await this.#replay.over()
      }
      return session
    } finally {
      this.#opening = null
    }
  }

  async #send(prompt: readonly ContentBlock[]): Promise<PromptResponse> {
    this.#replay.end()
    return promptResponseOf(await this.#request('session/prompt', { sessionId: this.#session, prompt }))
  }

  #notified(method: string, params: unknown, line: string): void {
    if (method === 'session/update' && isObject(params) && isUpdate(params.update)) {
      this.#updated(params.update, params.sessionId)
    } else if (!this.#asks.takeBack(method, params)) this.#handlers.unknown(line)
  }

  #updated(update: AgentUpdate, sessionId: unknown): void {
    // The replay covers what was said and done; the list of commands is about now.
    if (this.#opening === 'loaded' && update.sessionUpdate !== 'available_commands_update') return
    if (this.#replay.has(update)) return
    const isOwn = this.#opening !== null || this.#sessionId === null || sessionId === this.#sessionId
    const meta = isObject(update._meta) ? update._meta : {}
    if (!isOwn) this.#handlers.update({ ...update, _meta: { ...meta, 'farhand/sessionId': sessionId } })
    else if (!this.#isGreeting(update)) this.#handlers.update(update)
    else this.#handlers.update({ ...update, _meta: { ...meta, 'farhand/greeting': true } })
  }

  #isGreeting({ sessionUpdate, content }: AgentUpdate): boolean {
    if (this.#greeting === null || sessionUpdate !== 'agent_message_chunk') return false
    return isObject(content) && content.text === this.#greeting
  }

  #requested(id: RequestId, method: string, params: unknown, line: string): void {
    if (!isAskMethod(method)) {
      this.#peer.answer(id, { error: { code: methodNotFound, message: `unknown method: ${method}` } })
      this.#handlers.unknown(line)
    } else if (!isObject(params)) {
      this.#peer.answer(id, { error: { code: invalidParams, message: `${method} needs params` } })
      this.#handlers.unknown(line)
      // The agent asked before it heard of the cancel.
    } else if (this.#turns.isCancelled) this.#peer.answer(id, cancelled(method))
    else this.#handlers.asked(this.#asks.add(id, method, params))
  }

  /** Sends a request; the error text of a refusal is shown to users without keys. */
  async #ask(method: string, params: unknown): Promise<unknown> {
    return await this.#peer.request(method, params).catch((error: unknown) => {
      if (!(error instanceof AgentRefused)) throw error
      const { message, code, data } = error
      throw new AgentRefused(this.#process.withoutKeys(message), code, data, { cause: error })
    })
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    return await this.#ask(method, params).catch((error: unknown) => {
      throw isSignInWanted(error) ? this.#signInFirst(error) : error
    })
  }

  /** Sends the request; if the agent requires sign-in and a key is set for it, signs in and tries once more. */
  async #signedIn(ask: () => Promise<unknown>): Promise<unknown> {
    let tried: ReturnType<typeof unattendedWay> = null
    try {
      return await ask().catch(async (error: unknown) => {
        tried = isSignInWanted(error) ? unattendedWay(this.said, this.#command.env) : null
        if (!tried) throw error
        await this.#ask('authenticate', { methodId: tried.id })
        return await ask()
      })
    } catch (error) {
      if (!tried && !isSignInWanted(error)) throw error
      throw error instanceof AgentRefused ? this.#signInFirst(error, tried) : error
    }
  }

  #signInFirst(error: AgentRefused, tried: ReturnType<typeof unattendedWay> = null): AgentRefused {
    const message = signInFirst(this.#command, this.said, { message: error.message, tried })
    return new AgentRefused(message, error.code, error.data, { cause: error })
  }
}

/** An agent that ends right after its start in a sandbox often misses a file of the machine outside. */
function withReadable(error: unknown, { readable }: AgentCommand): unknown {
  if (!(error instanceof AgentGone) || !readable) return error
  const places = readable.length === 0 ? 'nothing' : `only ${readable.join(', ')}`
  const words = `In the sandbox it can read, besides the system, ${places}. What else it needs belongs in "readable" of its entry in agents.json, at the hub.`
  return new AgentGone(`${error.message} ${words}`, error.end, { cause: error })
}

const shownCommand = ({ command, args = [] }: AgentCommand) =>
  `\`${[command, ...args].join(' ').slice(0, 300)}\``

const cannot = (what: string) => new AgentRefused(`This agent cannot ${what}.`, methodNotFound, undefined)

const lastWords = (end: AgentEnd) => (end.lastWords === '' ? '' : ` Its last output: ${end.lastWords}`)

const isSignInWanted = (error: unknown): error is AgentRefused =>
  error instanceof AgentRefused && error.code === authRequired

const isAskMethod = (method: string): method is AgentAsk['method'] => askMethods.has(method)
