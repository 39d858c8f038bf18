import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type LoadSessionRequest,
  type LoadSessionResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  type ResumeSessionRequest,
  type ResumeSessionResponse,
  type SessionUpdate,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk'

/** How a session speaks to whoever hosts the agent. */
export type Voice = {
  sessionId: string
  client: AgentContext
  /** What the host said it can do. */
  capabilities: ClientCapabilities
  /** Resolves when there is room for more: an agent that waits for it never outruns its reader. */
  update(update: SessionUpdate): Promise<void>
}

/** One prompt at work. When `signal` aborts, throwing or answering anything ends it as cancelled. */
export type Turn = Voice & { signal: AbortSignal }

/** What differs between agents of ours; `AcpProgram` methods are only called after `initialize`. */
export type AcpProgram = {
  introduce(request: InitializeRequest): Omit<InitializeResponse, 'protocolVersion'>
  newSession(request: NewSessionRequest): Promise<NewSessionResponse>
  loadSession?(request: LoadSessionRequest, voice: Voice): Promise<LoadSessionResponse>
  resumeSession?(request: ResumeSessionRequest): Promise<ResumeSessionResponse>
  /** Called once the host has the answer that opened the session: before that, it knows no such session. */
  opened?(voice: Voice): Promise<void>
  /** The session's turns have ended by then. */
  closeSession?(sessionId: string): Promise<void>
  setMode?(sessionId: string, modeId: string): Promise<void>
  setConfigOption?(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse>
  /** Never called twice at once for one session: a second prompt waits for the first. */
  prompt(request: PromptRequest, turn: Turn): Promise<PromptResponse>
}

/** Serves the agent until its input ends or `stop` aborts; resolves when every turn has come to its end. */
export async function serveAcp(
  program: AcpProgram,
  io: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; stop: AbortSignal },
): Promise<void> {
  const turns = new Turns()
  const input = Readable.toWeb(io.input as Readable) as ReadableStream<Uint8Array>
  const output = Writable.toWeb(io.output as Writable) as WritableStream<Uint8Array>
  const connection = appOf(program, turns).connect(ndJsonStream(output, input))
  if (!io.stop.aborted) await Promise.race([connection.closed, once(io.stop, 'abort')])
  await turns.endAll()
  connection.close()
}

function appOf(program: AcpProgram, turns: Turns): AgentApp {
  let capabilities: ClientCapabilities = {}
  const voice = (sessionId: string, client: AgentContext): Voice => ({
    sessionId,
    client,
    capabilities,
    update: (update) => client.notify('session/update', { sessionId, update }),
  })
  const afterAnswer = (sessionId: string, client: AgentContext) => {
    // An update that overtakes the answer names a session the host has not heard of, and some throw it away.
    const answered = new Promise(setImmediate)
    turns.begin(
      sessionId,
      answered.then(() => program.opened?.(voice(sessionId, client))),
    )
  }
  const app = agent()
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return { protocolVersion: PROTOCOL_VERSION, ...program.introduce(params) }
    })
    .onRequest('session/new', async ({ params, client }) => {
      const answer = await program.newSession(params)
      afterAnswer(answer.sessionId, client)
      return answer
    })
    .onRequest('session/prompt', ({ params, client, signal }) =>
      turns.take(params.sessionId, signal, (ended) =>
        program.prompt(params, { ...voice(params.sessionId, client), signal: ended }),
      ),
    )
    .onNotification('session/cancel', ({ params }) => turns.cancel(params.sessionId))
    .onRequest('session/close', async ({ params }) => {
      await turns.end(params.sessionId)
      await program.closeSession?.(params.sessionId)
    })
  const loadSession = program.loadSession?.bind(program)
  const resumeSession = program.resumeSession?.bind(program)
  const setMode = program.setMode?.bind(program)
  const setConfigOption = program.setConfigOption?.bind(program)
  if (loadSession) {
    app.onRequest('session/load', async ({ params, client }) => {
      const answer = await loadSession(params, voice(params.sessionId, client))
      afterAnswer(params.sessionId, client)
      return answer
    })
  }
  if (resumeSession) {
    app.onRequest('session/resume', async ({ params, client }) => {
      const answer = await resumeSession(params)
      afterAnswer(params.sessionId, client)
      return answer
    })
  }
  if (setMode) app.onRequest('session/set_mode', ({ params }) => setMode(params.sessionId, params.modeId))
  if (setConfigOption) app.onRequest('session/set_config_option', ({ params }) => setConfigOption(params))
  return app
}

/** The turns under way: one at a time in each session, and a cancel reaches those that wait, too. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #stops = new Map<string, Set<AbortController>>()

  /** The session's turns wait until this is done, or has failed. */
  begin(sessionId: string, opening: Promise<unknown>): void {
    this.#last.set(
      sessionId,
      opening.catch(() => {}),
    )
  }

  async take(
    sessionId: string,
    given: AbortSignal,
    work: (signal: AbortSignal) => Promise<PromptResponse>,
  ): Promise<PromptResponse> {
    const stop = new AbortController()
    const stops = this.#stops.get(sessionId) ?? new Set()
    this.#stops.set(sessionId, stops.add(stop))
    const signal = AbortSignal.any([stop.signal, given])
    const turn = (this.#last.get(sessionId) ?? Promise.resolve()).then(() => whole(signal, work))
    this.#last.set(
      sessionId,
      turn.catch(() => {}),
    )
    try {
      return await turn
    } finally {
      stops.delete(stop)
    }
  }

  cancel(sessionId: string): void {
    for (const stop of this.#stops.get(sessionId) ?? []) stop.abort()
  }

  async end(sessionId: string): Promise<void> {
    this.cancel(sessionId)
    await this.#last.get(sessionId)
    this.#last.delete(sessionId)
    this.#stops.delete(sessionId)
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#last.keys()].map((sessionId) => this.end(sessionId)))
  }
}

async function whole(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<PromptResponse>,
): Promise<PromptResponse> {
  try {
    if (signal.aborted) return { stopReason: 'cancelled' }
    const answer = await work(signal)
    return signal.aborted ? { ...answer, stopReason: 'cancelled' } : answer
  } catch (error) {
    // Whatever a cancelled turn trips over on its way out, the host asked for its end and gets that (so ACP).
    if (signal.aborted) return { stopReason: 'cancelled' }
    throw error
  }
}
