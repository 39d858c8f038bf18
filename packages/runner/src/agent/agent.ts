import type {
  ContentBlock,
  InitializeResponse,
  McpServer,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk'

/** How an agent is started; `env` is its whole environment, nothing is inherited. */
export type AgentCommand = {
  /** Its name for users; the program's name if not given. */
  name?: string
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  /** What the user should do if the agent requires sign-in. */
  signIn?: string
  /** MCP servers for the agent; those it cannot reach are left out. */
  mcpServers?: readonly McpServer[]
  /** In a sandbox: everything of the machine outside that it can read, besides the system. */
  readable?: readonly string[]
}

/**
 * A `session/update` as the agent wrote it: agents send more kinds and fields than we know (W26). An update of a sub-
 * session has its id in `_meta['farhand/sessionId']`; a greeting that is no answer has `_meta['farhand/greeting']`.
 */
export type AgentUpdate = { sessionUpdate: string } & Readonly<Record<string, unknown>>

/** A request of the agent to its host, which the agent waits for. */
export type AgentAsk = {
  method: 'session/request_permission' | 'elicitation/create'
  /** As the agent wrote them. */
  params: Readonly<Record<string, unknown>>
  /** Answers it. Only the first call counts; an answer to a dead agent does nothing. */
  reply(result: unknown): void
  /** Aborted when the agent takes the question back, its turn is cancelled or it is gone. */
  withdrawn: AbortSignal
}

/** A session that was created, loaded or resumed. */
export type AgentSession = {
  sessionId: string
  modes: SessionModeState | null
  configOptions: readonly SessionConfigOption[] | null
}

export type AgentEnd = { code: number | null; signal: string | null; lastWords: string }

/** Called with what the agent says, strictly in order. */
export type AgentHandlers = {
  update(update: AgentUpdate): void
  asked(ask: AgentAsk): void
  /** An unknown method or a malformed frame, for debugging. */
  unknown(frame: string): void
}

/** An agent at work in a process of its own. Every promise of a dead agent is rejected with AgentGone. */
export interface Agent {
  readonly said: InitializeResponse
  newSession(): Promise<AgentSession>
  /** Updates that the agent replays are left out (W26). */
  loadSession(sessionId: string): Promise<AgentSession>
  resumeSession(sessionId: string): Promise<AgentSession>
  /**
   * Resolves after every update of this turn has been passed on. A second prompt waits for the first. Rejects with
   * AgentRefused if the agent says so, and with AgentIgnoredCancel if it was cancelled and went on all the same.
   */
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse>
  /** Whether it accepts messages into a running turn. */
  readonly canBeSteered: boolean
  /**
   * Sends a message into the running turn; resolves with whether the agent has taken it. If not, it will never hear
   * it.
   */
  steer(blocks: readonly ContentBlock[]): Promise<boolean>
  /** Asks the agent to end the running turn; the turn's `prompt` still resolves. */
  cancel(): void
  setMode(modeId: string): Promise<void>
  setConfigOption(configId: string, value: unknown): Promise<readonly SessionConfigOption[]>
  /**
   * Stops reading, so that the agent waits for room in its pipe. What a dead agent left in the pipe is still read
   * later.
   */
  pauseReading(): void
  resumeReading(): void
  readonly ended: Promise<AgentEnd>
  /** Ends the agent and every process it has started; resolves when all are gone. */
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

/** The agent answered with an error: it cannot reach its model, is not signed in, or does not support the request. */
export class AgentRefused extends Error {
  readonly code: number
  readonly data: unknown

  constructor(message: string, code: number, data: unknown, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }
}

/** The agent did not end its turn after a cancel; only `stop` will end it. */
export class AgentIgnoredCancel extends Error {}
