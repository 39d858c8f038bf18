import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  client,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { ownAgent } from '@farhand/testkit/own-agent'
import { onTestFinished } from 'vitest'
import { serveAcp } from '../acp-program.ts'
import { rehearsal } from './rehearsal.ts'
import { SessionStore } from './session-store.ts'

type Answers = {
  /** The id of the option to choose, or null for none; a promise that stays open is a person who is away. */
  permission?: (request: RequestPermissionRequest) => string | null | Promise<string>
  elicitation?: (request: Record<string, unknown>) => Record<string, unknown>
}

type Start = { home?: string; cwd?: string; answers?: Answers; session?: 'new' | 'none' }

/** A rehearsal with a host, and everything it has said. */
export class Rehearsal {
  readonly frames: AnyMessage[] = []
  readonly cwd: string
  readonly agent: ClientContext
  readonly sessionId = 'drill'
  #heard: (() => void) | null = null

  constructor(cwd: string, answers: Answers, pipes: { input: Writable; output: Readable }) {
    this.cwd = cwd
    const { writable, readable } = ndJsonStream(
      Writable.toWeb(pipes.input) as WritableStream<Uint8Array>,
      Readable.toWeb(pipes.output) as ReadableStream<Uint8Array>,
    )
    const heard = new TransformStream<AnyMessage, AnyMessage>({
      transform: (frame, controller) => {
        this.frames.push(frame)
        this.#heard?.()
        controller.enqueue(frame)
      },
    })
    this.agent = client()
      .onNotification('session/update', () => {})
      .onRequest('session/request_permission', async ({ params }) => {
        const optionId = await answers.permission?.(params)
        return { outcome: optionId ? { outcome: 'selected', optionId } : { outcome: 'cancelled' } }
      })
      .onRequest('elicitation/create', ({ params }) => {
        const answer = answers.elicitation?.(params as Record<string, unknown>)
        return (answer ?? { action: 'cancel' }) as { action: 'cancel' }
      })
      .connect({ writable, readable: readable.pipeThrough(heard) }).agent
  }

  initialize(elicitation: boolean) {
    const clientCapabilities: ClientCapabilities = elicitation ? { elicitation: { form: {} } } : {}
    return this.agent.request('initialize', { protocolVersion: 1, clientCapabilities })
  }

  prompt(text: string, sessionId = this.sessionId): Promise<PromptResponse> {
    return this.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  }

  /** Says it into the turn that is under way. */
  steer(text: string): Promise<unknown> {
    const params = { sessionId: this.sessionId, prompt: [{ type: 'text', text }] }
    return this.agent.request('_session/steering', params)
  }

  cancel(): Promise<void> {
    return this.agent.notify('session/cancel', { sessionId: this.sessionId })
  }

  get updates(): SessionUpdate[] {
    return this.frames.flatMap((frame) =>
      'method' in frame && frame.method === 'session/update'
        ? [(frame.params as { update: SessionUpdate }).update]
        : [],
    )
  }

  /** Everything it said aloud, joined. */
  get words(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? update.content.text
          : '',
      )
      .join('')
  }

  /** Resolves as soon as what it has said passes the test. */
  async heard(test: (rehearsal: Rehearsal) => boolean): Promise<void> {
    while (!test(this)) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
  }
}

/** The updates of one kind, in order. */
export const ofKind = <Kind extends SessionUpdate['sessionUpdate']>(rehearsal: Rehearsal, kind: Kind) =>
  rehearsal.updates.filter(
    (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
  )

/** A folder that is gone after the test. */
export function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'rehearsal-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A rehearsal without a process of its own, with a new session in a new folder. */
export async function rehearsalHere({ home, cwd = folder(), answers = {} }: Start = {}): Promise<Rehearsal> {
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()]
  const program = rehearsal({
    version: '0',
    store: home === undefined ? null : new SessionStore(home),
    newSessionId: () => 'drill',
    world: {
      nowMs: () => Date.now(),
      crash: () => Promise.reject(new Error('only a process can crash')),
      turnDeaf: () => {},
    },
  })
  const served = serveAcp(program, { input, output, stop: stop.signal })
  onTestFinished(async () => {
    stop.abort()
    await served
  })
  return begun(new Rehearsal(cwd, answers, { input, output }), { answers })
}

/** A rehearsal in a process of its own. */
export type RehearsalProcess = { child: ChildProcess; exited: Promise<number | string | null> }

/** Starts a rehearsal as a process, with a new session in a new folder unless told otherwise. */
export async function startRehearsal(start: Start = {}): Promise<Rehearsal & RehearsalProcess> {
  const { home, cwd = folder(), answers = {} } = start
  const { command, args } = ownAgent('rehearsal')
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, REHEARSAL_SESSION_ID: 'drill', ...(home && { REHEARSAL_HOME: home }) },
  })
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const started = new Rehearsal(cwd, answers, { input: child.stdin, output: child.stdout })
  return Object.assign(await begun(started, start), { child, exited })
}

async function begun(started: Rehearsal, { answers, session }: Start): Promise<Rehearsal> {
  await started.initialize(answers?.elicitation !== undefined)
  if (session !== 'none') await started.agent.request('session/new', { cwd: started.cwd, mcpServers: [] })
  return started
}
