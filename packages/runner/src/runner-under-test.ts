import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CloudConnection } from '@farhand/client/agent/cloud-connection'
import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import type { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { atEndOfFile } from '@farhand/testkit/end-of-file'
import { HubProcess } from '@farhand/testkit/hub-process'
import { ownAgent } from '@farhand/testkit/own-agent'
import { onTestFinished } from 'vitest'
import { startAgent } from './agent/acp-agent.ts'
import type { AgentCommand } from './agent/agent.ts'
import { hostAgent, type RunnerEnd, type RunnerOptions } from './runner.ts'

/** Which agent a run has; `home` is a folder that it has to itself, and that is there when it is started again. */
export type HostedAgent = {
  id: string
  command: (home: string) => Omit<AgentCommand, 'cwd'>
  /** What of that folder travels with the run, if anything does. */
  memory?: MemoryTerms
  asks?: RunnerOptions['agent']['asks']
  hidesContext?: boolean
}

export const rehearsalAgent: HostedAgent = {
  id: 'rehearsal',
  command(home) {
    const { PATH = '', HOME = '' } = process.env
    return { ...ownAgent('rehearsal'), env: { PATH, HOME, REHEARSAL_HOME: home } }
  },
}

let shared: Promise<HubProcess> | null = null

function hubOfFile(): Promise<HubProcess> {
  if (shared) return shared
  // A test that relies on a runner's last event would wait for it until the end.
  shared = HubProcess.start({ settings: ['--close-grace-ms', '600000'] })
  atEndOfFile(async () => {
    const hub = await shared
    shared = null
    await hub?.kill()
    if (hub) await removeFolders([hub.data])
  })
  return shared
}

export type StartOptions = Pick<RunnerOptions, 'secrets' | 'setup' | 'checkpoints' | 'bring' | 'settleMs'> & {
  env?: Record<string, string>
}

/** A run on a real hub, with a folder to work in, and a runner in this process that hosts an agent. */
export class RunUnderTest {
  readonly hub: HubProcess
  readonly user: Hub
  readonly at: RunAddress
  workspace: string
  readonly state: string
  readonly #agent: HostedAgent
  #running: { stop: AbortController; end: Promise<RunnerEnd> } | null = null

  private constructor(hub: HubProcess, at: RunAddress, folders: string[], agent: HostedAgent) {
    const [workspace, state] = folders as [string, string]
    this.#agent = agent
    this.hub = hub
    this.user = { url: hub.url, token: hub.token }
    this.at = at
    this.workspace = workspace
    this.state = state
  }

  /** On the hub of all tests of a file, or on one that may be killed. */
  static async begin(agent: HostedAgent = rehearsalAgent, on?: 'own hub'): Promise<RunUnderTest> {
    const hub = on ? await HubProcess.start() : await hubOfFile()
    const user = { url: hub.url, token: hub.token }
    const project = await createProject(user, { name: 'test' })
    const task = await createTask(user, project.id, { title: 'test' })
    const at = addressOf(await createRun(user, project.id, task.id, { sandbox: 'none', agent: agent.id }))
    const folders = await newFolders()
    const run = new RunUnderTest(hub, at, folders, agent)
    onTestFinished(async () => {
      await run.stop()
      if (on) await hub.kill()
      await removeFolders([...(on ? [hub.data] : []), ...folders, run.workspace])
    })
    return run
  }

  /** Another run of the same hub, with folders of its own. */
  async beside(at: RunAddress): Promise<RunUnderTest> {
    const folders = await newFolders()
    const run = new RunUnderTest(this.hub, at, folders, this.#agent)
    onTestFinished(async () => {
      await run.stop()
      await removeFolders(folders)
    })
    return run
  }

  /** Starts a runner, in the seat of the one before; `fetch` is its way to the hub. */
  async start(
    fetch?: Hub['fetch'],
    alsoChanged: RunnerOptions['alsoChanged'] = () => [],
    { env = {}, ...more }: StartOptions = {},
  ): Promise<void> {
    const { token, generation } = await beginRunner(this.user, this.at)
    const stop = new AbortController()
    const home = join(this.state, 'agent')
    await mkdir(home, { recursive: true })
    const own = this.#agent.command(home)
    const command = { ...own, env: { ...own.env, ...env }, cwd: this.workspace }
    const end = hostAgent({
      hub: { ...this.user, token, ...(fetch && { fetch }) },
      at: this.at,
      generation,
      agent: {
        id: this.#agent.id,
        command,
        ...(this.#agent.asks && { asks: this.#agent.asks }),
        hidesContext: this.#agent.hidesContext,
      },
      start: (command, handlers, signal) => startAgent(command, handlers, { signal, mark: this.at.run }),
      state: join(this.state, 'runner'),
      ...(this.#agent.memory && { memory: { folder: home, terms: this.#agent.memory } }),
      alsoChanged,
      ...more,
      signal: stop.signal,
    })
    end.catch(() => {})
    this.#running = { stop, end }
  }

  async stop(): Promise<void> {
    this.#running?.stop.abort()
    await this.#running?.end.catch(() => {})
    this.#running = null
  }

  /** Everything is gone but what the hub has; the next runner begins in an empty place, perhaps under another path. */
  async lose(how: { elsewhere?: true } = {}): Promise<void> {
    await this.stop()
    await removeFolders([this.workspace, this.state])
    if (how.elsewhere) this.workspace = `${this.workspace}-again`
    for (const folder of [this.workspace, this.state]) await mkdir(folder)
  }

  /** How the runner ended by itself. */
  get end(): Promise<RunnerEnd> {
    return this.#running!.end
  }

  connection(): CloudConnection {
    return new CloudConnection(this.user, this.at, {
      onFault: (error) => {
        throw error
      },
    })
  }

  /** What the turn of this message says, from its ack to its end. */
  async turn(prompt: string): Promise<Notification[]> {
    const said: Notification[] = []
    for await (const event of this.connection().prompt({ sessionId: this.at.run, prompt })) said.push(event)
    return said
  }

  async say(method: string, params: Record<string, unknown> = {}): Promise<number> {
    return (await post(this.user, this.at, { jsonrpc: '2.0', method, params })).lastEventId
  }

  /** The first event that is like this, from the beginning of the log. */
  async until(isLike: (event: SeenEvent) => boolean): Promise<SeenEvent> {
    for await (const event of follow(this.user, this.at, { envelope: 'stored' }))
      if (isLike(event)) return event
    throw new Error('the run was closed before that')
  }
}

const newFolders = () =>
  Promise.all(['farhand-work-', 'farhand-state-'].map((name) => mkdtemp(join(tmpdir(), name))))

async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

export const textOf = (events: readonly Notification[]) =>
  events
    .filter(({ method }) => method === 'agent_message_chunk')
    .map(({ params }) => params?.text)
    .join('')
