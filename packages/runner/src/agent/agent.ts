import type {
  ContentBlock,
  InitializeResponse,
  McpServer,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk'

/** How an agent is started; `env` is the whole of it, nothing is inherited. */
export type AgentCommand = {
  /** What people call it, if not by its program. */
  name?: string
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  /** What to do if it wants somebody to sign in, in words. */
  signIn?: string
  /** Servers of tools that it is given; those it cannot reach are left out. */
  mcpServers?: readonly McpServer[]
  /** In a sandbox: all that it can read of the machine outside, besides the system. */
  readable?: readonly string[]
}

/**
 * A `session/update` as the agent wrote it: agents know more kinds and fields than we do (W26). What belongs to a
 * session of its own making has that one's id in `_meta['farhand/sessionId']`; what it says of itself and is no answer has
 * `_meta['farhand/greeting']`.
 */
export type AgentUpdate = { sessionUpdate: string } & Readonly<Record<string, unknown>>

/** Something that an agent asks of whoever hosts it, and waits for. */
export type AgentAsk = {
  method: 'session/request_permission' | 'elicitation/create'
  /** As the agent wrote them. */
  params: Readonly<Record<string, unknown>>
  /** Answers it, once; later calls and answers to a dead agent do nothing. */
  reply(result: unknown): void
  /** Aborted when the agent takes the question back, its turn is cancelled or it is gone. */
  withdrawn: AbortSignal
}

/** What happened to a session that was asked for. */
export type AgentSession = {
  sessionId: string
  modes: SessionModeState | null
  configOptions: readonly SessionConfigOption[] | null
}

export type AgentEnd = { code: number | null; signal: string | null; lastWords: string }

/** What the host hears of its agent, strictly in the order in which the agent said it. */
export type AgentHandlers = {
  update(update: AgentUpdate): void
  asked(ask: AgentAsk): void
  /** A method or a frame that we do not know, kept for whoever looks for a fault. */
  unknown(frame: string): void
}

/** An agent at work in a process of its own. Every promise of a dead agent is rejected with AgentGone. */
export interface Agent {
  readonly said: InitializeResponse
  newSession(): Promise<AgentSession>
  /** Updates that the agent replays meanwhile are not passed on (W26). */
  loadSession(sessionId: string): Promise<AgentSession>
  resumeSession(sessionId: string): Promise<AgentSession>
  /**
   * Resolves after every update of this turn has been passed on. A second prompt waits for the first. Rejects with
   * AgentRefused if the agent says so, and with AgentStubborn if it was cancelled and went on all the same.
   */
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse>
  /** Whether it takes words into a turn that is under way. */
  readonly canBeSteered: boolean
  /**
   * Says something into the turn that is under way; whether the agent has taken it. If not, it has not heard it, and
   * never will.
   */
  steer(blocks: readonly ContentBlock[]): Promise<boolean>
  /** Asks the agent to end the turn that is under way; that turn's `prompt` still resolves. */
  cancel(): void
  setMode(modeId: string): Promise<void>
  setConfigOption(configId: string, value: unknown): Promise<readonly SessionConfigOption[]>
  /** While held, nothing is read from the agent: it waits for room in its pipe. What one that died left there comes. */
  pauseReading(): void
  resumeReading(): void
  readonly ended: Promise<AgentEnd>
  /** Ends the agent and every process it has started; resolves when none is left. */
  stop(): Promise<AgentEnd>
}

/** The agent's process has ended, or never began. */
export class AgentGone extends Error {
  readonly end: AgentEnd

  constructor(message: string, end: AgentEnd, options?: ErrorOptions) {
    super(message, options)
    this.end = end
  }
}

/** The agent answered with an error: its model is out of reach, nobody is signed in, it cannot do this. */
export class AgentRefused extends Error {
  readonly code: number
  readonly data: unknown

  constructor(message: string, code: number, data: unknown, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }
}

/** The agent was asked to end its turn and did not; only `stop` will end it. */
export class AgentStubborn extends Error {}
