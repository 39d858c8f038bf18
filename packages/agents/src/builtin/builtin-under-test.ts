import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import {
  type ClientContext,
  type CreateElicitationRequest,
  client,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { ownAgent } from '@farhand/testkit/own-agent'
import { onTestFinished } from 'vitest'
import { serveBuiltin } from './run-builtin.ts'

/** A folder that is gone after the test. */
export function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'builtin-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** The id of the option to choose; null turns away, a promise that never resolves is a person who is away. */
type Answers = (request: RequestPermissionRequest) => string | null | Promise<string>

/** The agent, with a host that writes down what it hears. */
export class BuiltinUnderTest {
  readonly cwd: string
  readonly updates: SessionUpdate[] = []
  readonly asked: RequestPermissionRequest[] = []
  /** Questions it put; all are answered with "left". */
  readonly questions: CreateElicitationRequest[] = []
  readonly agent: ClientContext
  sessionId = ''
  #heard = () => {}

  constructor(pipes: { input: Writable; output: Readable }, cwd: string, answers: Answers) {
    this.cwd = cwd
    const stream = ndJsonStream(
      Writable.toWeb(pipes.input) as WritableStream<Uint8Array>,
      Readable.toWeb(pipes.output) as ReadableStream<Uint8Array>,
    )
    this.agent = client()
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update)
        this.#heard()
      })
      .onRequest('session/request_permission', async ({ params }) => {
        this.asked.push(params)
        this.#heard()
        const optionId = await answers(params)
        return { outcome: optionId ? { outcome: 'selected', optionId } : { outcome: 'cancelled' } }
      })
      .onRequest('elicitation/create', ({ params }) => {
        this.questions.push(params)
        return { action: 'accept', content: { answer: 'left' } }
      })
      .connect(stream).agent
  }

  prompt(text: string): Promise<PromptResponse & { usage?: unknown }> {
    const prompt = [{ type: 'text' as const, text }]
    return this.agent.request('session/prompt', { sessionId: this.sessionId, prompt })
  }

  /** Says it into the turn that is under way. */
  steer(text: string): Promise<unknown> {
    const params = { sessionId: this.sessionId, prompt: [{ type: 'text', text }] }
    return this.agent.request('_session/steering', params)
  }

  cancel(): Promise<void> {
    return this.agent.notify('session/cancel', { sessionId: this.sessionId })
  }

  /** Resolves as soon as what it has said or asked passes the test. */
  async until(test: () => boolean): Promise<void> {
    while (!test())
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
  }

  /** What it said aloud, joined. */
  get words(): string {
    return this.of('agent_message_chunk')
      .map(({ content }) => (content.type === 'text' ? content.text : ''))
      .join('')
  }

  of<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind) {
    return this.updates.filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
    )
  }

  /** What became of each tool call: its last status, in the order in which the calls began. */
  get ends(): Record<string, unknown> {
    const ends: Record<string, unknown> = {}
    for (const update of this.updates)
      if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
        if (update.status) ends[update.toolCallId] = update.status
    return ends
  }
}

type Start = { cwd?: string; session?: 'new' | 'none'; answers?: Answers; mode?: string; canAsk?: boolean }

const allows: Answers = () => 'allow-once'

/** The agent with this environment, in this process, with a new session in a new folder unless told otherwise. */
export async function builtinHere(env: Record<string, string>, start: Start = {}): Promise<BuiltinUnderTest> {
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()]
  const given = { PATH: process.env.PATH ?? '', ...env }
  const served = serveBuiltin({ env: given, platform: 'linux', input, output, stop: stop.signal })
  onTestFinished(async () => {
    stop.abort()
    await served
  })
  const { cwd = folder(), answers = allows } = start
  return begun(new BuiltinUnderTest({ input, output }, cwd, answers), start)
}

/** The same in a process of its own. */
export async function builtinProcess(env: Record<string, string>, start: Start = {}) {
  const { cwd = folder(), answers = allows } = start
  const { command, args } = ownAgent('builtin')
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const agent = new BuiltinUnderTest({ input: child.stdin, output: child.stdout }, cwd, answers)
  return Object.assign(await begun(agent, start), { child, exited })
}

async function begun(
  builtin: BuiltinUnderTest,
  { session = 'new', mode, canAsk = false }: Start,
): Promise<BuiltinUnderTest> {
  await builtin.agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: canAsk ? { elicitation: { form: {} } } : {},
  })
  if (session === 'none') return builtin
  const { sessionId } = await builtin.agent.request('session/new', { cwd: builtin.cwd, mcpServers: [] })
  builtin.sessionId = sessionId
  if (mode) await builtin.agent.request('session/set_mode', { sessionId, modeId: mode })
  return builtin
}
