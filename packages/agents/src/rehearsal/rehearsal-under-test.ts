import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
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
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

type Answers = {
  /** The id of the option to choose; a promise that never resolves is a person who is away. */
  permission?: (request: RequestPermissionRequest) => string | Promise<string>
  elicitation?: (request: Record<string, unknown>) => Record<string, unknown>
}

type Start = { home?: string; cwd?: string; answers?: Answers; session?: 'new' | 'none' }

/** A rehearsal in a process of its own, and everything it has said. */
export class Rehearsal {
  readonly frames: AnyMessage[] = []
  readonly child: ChildProcess
  readonly cwd: string
  readonly exited: Promise<number | string | null>
  agent!: ClientContext
  sessionId = 'drill'
  #heard: (() => void) | null = null

  constructor(cwd: string, home: string | undefined) {
    this.cwd = cwd
    this.child = spawn(process.execPath, ['--import', 'tsx', main], {
      cwd: path.dirname(main),
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, REHEARSAL_SESSION_ID: 'drill', ...(home && { REHEARSAL_HOME: home }) },
    })
    this.exited = once(this.child, 'exit').then(([code, signal]) => code ?? signal)
    onTestFinished(async () => {
      this.child.kill('SIGKILL')
      await this.exited
    })
  }

  connect(answers: Answers): void {
    const output = Writable.toWeb(this.child.stdin!) as WritableStream<Uint8Array>
    const input = Readable.toWeb(this.child.stdout!) as ReadableStream<Uint8Array>
    const { writable, readable } = ndJsonStream(output, input)
    const heard = new TransformStream<AnyMessage, AnyMessage>({
      transform: (frame, controller) => {
        this.frames.push(frame)
        this.#heard?.()
        controller.enqueue(frame)
      },
    })
    this.agent = client()
      .onNotification('session/update', () => {})
      .onRequest('session/request_permission', async ({ params }) => ({
        outcome: { outcome: 'selected', optionId: (await answers.permission?.(params)) ?? 'nothing' },
      }))
      .onRequest(
        'elicitation/create',
        ({ params }) =>
          (answers.elicitation?.(params as Record<string, unknown>) ?? { action: 'cancel' }) as {
            action: 'cancel'
          },
      )
      .connect({ writable, readable: readable.pipeThrough(heard) }).agent
  }

  initialize(elicitation: boolean) {
    const clientCapabilities: ClientCapabilities = elicitation ? { elicitation: { form: {} } } : {}
    return this.agent.request('initialize', { protocolVersion: 1, clientCapabilities })
  }

  prompt(text: string): Promise<PromptResponse> {
    return this.agent.request('session/prompt', {
      sessionId: this.sessionId,
      prompt: [{ type: 'text', text }],
    })
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

/** A folder that is gone after the test. */
export function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'rehearsal-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Starts a rehearsal with a new session in a new folder, unless told otherwise. */
export async function startRehearsal({ home, cwd, answers = {}, session }: Start = {}): Promise<Rehearsal> {
  const started = new Rehearsal(cwd ?? folder(), home)
  started.connect(answers)
  await started.initialize(answers.elicitation !== undefined)
  if (session !== 'none') await started.agent.request('session/new', { cwd: started.cwd, mcpServers: [] })
  return started
}
