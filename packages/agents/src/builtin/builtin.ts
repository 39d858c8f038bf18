import { createHash, randomUUID } from 'node:crypto'
import { type ContentBlock, type PromptResponse, RequestError } from '@agentclientprotocol/sdk'
import type { AcpProgram, Turn } from '../acp-program.ts'
import type { LoadedModel } from './model/load-model.ts'
import type { Environment, ModelChoice, NoModel } from './model/model-choice.ts'
import { promptContent } from './prompt-content.ts'
import { readGuidance } from './read-guidance.ts'
import { replayed } from './replayed.ts'
import { isMode, modes } from './sessions/modes.ts'
import { Session } from './sessions/session.ts'
import type { SessionFile } from './sessions/session-file.ts'
import { newState } from './sessions/session-state.ts'

export type BuiltinSettings = {
  version: string
  choice: ModelChoice | NoModel
  /** Without it, sessions are not saved and cannot be loaded. */
  file: SessionFile | null
  /** The environment of the agent itself. */
  environment: Environment
  /** The environment of commands it runs. */
  env: Readonly<Record<string, string>>
  platform: string
  /** The most requests to the model in one turn. */
  mostSteps: number
}

/** The built-in coding agent, which needs nothing but a model. */
export function builtin({ version, choice, file, environment, ...fixed }: BuiltinSettings): AcpProgram {
  const sessions = new Map<string, Session>()
  let loaded: LoadedModel | null = null

  const known = (sessionId: string): Session => {
    const session = sessions.get(sessionId)
    if (!session) throw RequestError.sessionNotFound(sessionId)
    return session
  }
  const chosen = (): ModelChoice => {
    if ('missing' in choice) throw RequestError.authRequired(undefined, choice.missing)
    // Not `authRequired`: neither signing in nor a key would help.
    if ('wrong' in choice) throw new RequestError(-32603, choice.wrong)
    return choice
  }
  const open = (session: Session) => {
    sessions.set(session.id, session)
    return { modes: { currentModeId: session.mode, availableModes: [...modes] } }
  }
  const reopen = (sessionId: string, cwd: string): Session => {
    chosen()
    const state = file?.load(sessionId)
    if (!state) throw RequestError.sessionNotFound(sessionId)
    return new Session(sessionId, cwd, state, file)
  }
  const modelFor = async (signal: AbortSignal): Promise<LoadedModel> => {
    try {
      const { loadModel } = await import('./model/load-model.ts')
      loaded ??= await loadModel(chosen(), environment, signal)
      return loaded
    } catch (error) {
      signal.throwIfAborted()
      throw new RequestError(-32603, error instanceof Error ? error.message : String(error))
    }
  }

  async function prompt(blocks: readonly ContentBlock[], turn: Turn): Promise<PromptResponse> {
    const session = known(turn.sessionId)
    noteAsked(session, blocks)
    try {
      const [model, guidance, { runTurn }] = await Promise.all([
        modelFor(turn.signal),
        readGuidance(session.cwd, environment.HOME),
        import('./run-turn.ts'),
      ])
      turn.signal.throwIfAborted()
      const today = new Date().toISOString().slice(0, 10)
      const answer = await runTurn(session, turn, { ...fixed, loaded: model, guidance, today })
      session.note({ open: null })
      return answer
    } catch (error) {
      if (turn.signal.aborted) session.note({ open: null })
      throw error
    }
  }

  return {
    introduce: () => ({
      agentInfo: { name: 'builtin', title: 'Built-in agent', version },
      agentCapabilities: {
        loadSession: file !== null,
        promptCapabilities: { embeddedContext: true, image: true, audio: false },
        sessionCapabilities: { close: {}, ...(file && { resume: {} }) },
      },
      authMethods: [],
    }),
    async newSession({ cwd }) {
      chosen()
      const session = new Session(randomUUID(), cwd, { ...newState, messages: [] }, file)
      session.note({ mode: session.mode })
      return { sessionId: session.id, ...open(session) }
    },
    ...(file && {
      async loadSession({ sessionId, cwd }, host) {
        const session = reopen(sessionId, cwd)
        for (const update of replayed(session.messages, cwd, (id) => session.callId(id)))
          await host.update(update)
        return open(session)
      },
      async resumeSession({ sessionId, cwd }) {
        const session = reopen(sessionId, cwd)
        // Counts the past calls, so that no id is used twice.
        replayed(session.messages, cwd, (id) => session.callId(id))
        return open(session)
      },
    }),
    async opened() {
      // Loading the library takes a third of a second: done while the user is still typing.
      await import('./run-turn.ts')
    },
    async closeSession(sessionId) {
      sessions.delete(sessionId)
    },
    async setMode(sessionId, mode) {
      if (!isMode(mode)) throw RequestError.invalidParams({ mode })
      known(sessionId).note({ mode })
    },
    prompt: (request, turn) => prompt(request.prompt, turn),
  }
}

/** Saves the user's message. The same prompt after a failure continues the turn and is not added twice. */
function noteAsked(session: Session, blocks: readonly ContentBlock[]): void {
  // A hash, not the prompt: it may contain images, and is already in the session.
  const asked = createHash('sha256').update(JSON.stringify(blocks)).digest('hex')
  const last = session.messages.at(-1)?.role
  const goesOn = session.open === asked && (last === 'user' || last === 'tool')
  if (!goesOn) session.note({ message: { role: 'user', content: promptContent(blocks) } })
  session.note({ open: asked })
}
