import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type ContentBlock,
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
  RequestError,
  type ResumeSessionRequest,
  type ResumeSessionResponse,
  type SessionUpdate,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { SessionTurns } from './session-turns.ts'

/** The host of the agent, as a session speaks to it. */
export type SessionHost = {
  sessionId: string
  client: AgentContext
  /** The host's capabilities. */
  capabilities: ClientCapabilities
  /** Resolves when there is room for more: an agent that waits for it never outruns the host. */
  update(update: SessionUpdate): Promise<void>
}

/** The turn of one prompt. When `signal` aborts, anything that is thrown or returned ends it as cancelled. */
export type Turn = SessionHost & {
  signal: AbortSignal
  /** Messages sent into the turn since the last call, in order: the caller has to act on them. */
  takeSaid(): ContentBlock[][]
}

/** What differs between our agents; its methods are only called after `initialize`. */
export type AcpProgram = {
  introduce(request: InitializeRequest): Omit<InitializeResponse, 'protocolVersion'>
  newSession(request: NewSessionRequest): Promise<NewSessionResponse>
  loadSession?(request: LoadSessionRequest, host: SessionHost): Promise<LoadSessionResponse>
  resumeSession?(request: ResumeSessionRequest): Promise<ResumeSessionResponse>
  /** Called once the host has the answer that opened the session: before that, the host does not know the session. */
  opened?(host: SessionHost): Promise<void>
  /** Called when the session's turns have ended. */
  closeSession?(sessionId: string): Promise<void>
  setMode?(sessionId: string, modeId: string): Promise<void>
  setConfigOption?(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse>
  /** Never called concurrently for one session: a second prompt waits for the first. */
  prompt(request: PromptRequest, turn: Turn): Promise<PromptResponse>
}

const Steering = z.looseObject({ sessionId: z.string(), prompt: z.array(z.custom<ContentBlock>()).min(1) })

/** Serves the agent until its input ends or `stop` aborts; resolves when every turn has ended. */
export async function serveAcp(
  program: AcpProgram,
  io: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; stop: AbortSignal },
): Promise<void> {
  const turns = new SessionTurns()
  const input = Readable.toWeb(io.input as Readable) as ReadableStream<Uint8Array>
  const output = Writable.toWeb(io.output as Writable) as WritableStream<Uint8Array>
  const connection = appOf(program, turns).connect(ndJsonStream(output, input))
  if (!io.stop.aborted) await Promise.race([connection.closed, once(io.stop, 'abort')])
  await turns.endAll()
  connection.close()
}

function appOf(program: AcpProgram, turns: SessionTurns): AgentApp {
  let capabilities: ClientCapabilities = {}
  const host = (sessionId: string, client: AgentContext): SessionHost => ({
    sessionId,
    client,
    capabilities,
    update: (update) => client.notify('session/update', { sessionId, update }),
  })
  const afterAnswer = (sessionId: string, client: AgentContext) => {
    // An update that arrives before the answer names a session the host does not know yet; some hosts drop it.
    const answered = new Promise(setImmediate)
    turns.begin(
      sessionId,
      answered.then(() => program.opened?.(host(sessionId, client))),
    )
  }
  const app = agent()
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      // Other agents use this name, too: the protocol has no standard for it yet.
      const _meta = { steering: { supported: true } }
      return { protocolVersion: PROTOCOL_VERSION, _meta, ...program.introduce(params) }
    })
    .onRequest('session/new', async ({ params, client }) => {
      const answer = await program.newSession(params).catch(refuse)
      afterAnswer(answer.sessionId, client)
      return answer
    })
    .onRequest('session/prompt', ({ params, client, signal }) =>
      turns.take(params.sessionId, signal, (ended) => {
        const takeSaid = () => turns.takeSaid(params.sessionId)
        const turn = { ...host(params.sessionId, client), signal: ended, takeSaid }
        return program.prompt(params, turn).catch(refuse)
      }),
    )
    .onRequest('_session/steering', Steering, async ({ params: { sessionId, prompt } }) => {
      const isTaken = await turns.say(sessionId, prompt)
      return isTaken ? { outcome: 'injected' } : { outcome: 'promptRequired', reason: 'noRunningTurn' }
    })
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
      const answer = await loadSession(params, host(params.sessionId, client))
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

const internal = -32603

/** Throws an error that the host can show to its users; the library reports any other error as "Internal error". */
export function refuse(error: unknown): never {
  if (error instanceof RequestError || !(error instanceof Error)) throw error
  const { code, path } = error as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  const where = path === undefined ? 'where this agent keeps its sessions' : `of ${path}`
  const said = isFull ? `The disk ${where} is full. Free some space there, then say it again.` : error.message
  throw new RequestError(internal, said, { cause: error.message })
}
