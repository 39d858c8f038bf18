import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { post } from '@farhand/client/post/post'
import { addressOf, closeRun, findRun, listAllRuns } from '@farhand/client/resources/resources'
import { event, isEvent } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { Trouble } from '../trouble/trouble.ts'
import { DrillHub } from './drill-hub.ts'
import { DrillLog, keptFolderHint } from './drill-log.ts'
import { makeRepository } from './drill-repository.ts'
import { folderTree } from './folder-tree.ts'
import { type FolderBefore, folderBefore } from './local-edits.ts'
import type { OwnCommand } from './own-command.ts'
import { processTable } from './process-table.ts'
import { processesOf, type Victim } from './victims.ts'

export type DrillTerms = { agent: string; sandbox: string; state: string }

const goneMs = 20_000

/** A hub of the drill's own, a temporary repository, and a run in a sandbox that works on it. */
export class DrillStage {
  readonly home: string
  readonly repository: string
  readonly hub: DrillHub
  readonly log: DrillLog
  readonly at: RunAddress
  /** The folder's content when it was last checked; at first, before the run began. */
  was: FolderBefore
  readonly #command: OwnCommand

  private constructor(home: string, hub: DrillHub, at: RunAddress, was: FolderBefore, command: OwnCommand) {
    this.home = home
    this.repository = path.join(home, 'repository')
    this.hub = hub
    this.at = at
    this.was = was
    this.#command = command
    this.log = new DrillLog(hub.hub, at, command.stop)
  }

  /** Begins the run with this message, by calling `farhand run`. */
  static async set(
    home: string,
    terms: DrillTerms,
    prompt: string,
    command: OwnCommand,
  ): Promise<DrillStage> {
    const repository = path.join(home, 'repository')
    mkdirSync(repository, { recursive: true })
    makeRepository(repository, command.env)
    const was = folderBefore(repository, folderTree(repository))
    const hub = new DrillHub(path.join(home, 'hub'), terms.state, command)
    await hub.start()
    try {
      const words = ['--agent', terms.agent, '--sandbox', terms.sandbox, '--folder', repository]
      const policy = ['--background', '--policy', 'allow-all', '--detach', '--json']
      const state = ['--state', path.join(home, 'state'), '--hub', hub.hub.url]
      const said = await linesOf(['run', ...words, ...policy, ...state, prompt], hub, command)
      const run = RunId.parse(said.find((line) => 'run' in line)?.run)
      const { project, task } = await findRun(hub.hub, run)
      return new DrillStage(home, hub, { project, task, run }, was, command)
    } catch (error) {
      await closeAll(hub)
      await hub.stop()
      throw error
    }
  }

  say<Name extends EventName>(name: Name, params: EventParams<Name>): Promise<number> {
    return post(this.hub.hub, this.at, event(name, params)).then(({ lastEventId }) => lastEventId)
  }

  /** Kills the victim with SIGKILL and returns the processes. A hub is started again. */
  async kill(victim: Victim): Promise<number[]> {
    if (victim === 'hub') {
      const killed = await this.hub.kill()
      await this.hub.start()
      return killed
    }
    const folder = path.join(this.hub.data, 'sandboxes', this.#sandboxId())
    const pids = processesOf(victim, folder, processTable(this.#command.platform))
    if (pids.length === 0)
      throw new Trouble('failed', `There is no ${victim} to be killed in ${folder}.`, keptFolderHint)
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It died together with the process before it.
      }
    }
    return pids
  }

  #sandboxId(): string {
    const start = this.log.events.findLast(({ notification }) => isEvent(notification, 'session_start'))
    return String(start?.notification.params?.sandboxId)
  }

  /** Ends everything. False if something of a sandbox is left. */
  async close(isKept: boolean): Promise<boolean> {
    await closeRun(this.hub.hub, this.at, { patienceMs: goneMs }).catch(() => {})
    const isClosed = await this.log
      .after(0, 'the end of the run', goneMs, ({ notification }) => isEvent(notification, 'session_close'))
      .then(
        () => true,
        () => false,
      )
    this.log.stop()
    const isClean = isClosed && (await this.#isClean())
    await this.hub.stop()
    if (!isKept) rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    return isClean
  }

  /** The hub removes the sandbox a moment after the run is closed. */
  async #isClean(): Promise<boolean> {
    const folder = path.join(this.hub.data, 'sandboxes')
    for (const until = performance.now() + goneMs; performance.now() < until; ) {
      if (namesIn(folder).length === 0) return true
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return false
  }
}

/** Closing the run also ends the link of the repository. */
async function closeAll({ hub }: DrillHub): Promise<void> {
  const { items } = await listAllRuns(hub, { patienceMs: goneMs })
  for (const run of items) await closeRun(hub, addressOf(run), { patienceMs: goneMs }).catch(() => {})
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    // The folder was never created.
    return []
  }
}

/** Runs this farhand command and parses the JSON lines that it prints. */
async function linesOf(
  words: readonly string[],
  { hub }: DrillHub,
  command: OwnCommand,
): Promise<Record<string, unknown>[]> {
  const [program, ...first] = command.self
  const child = spawn(program, [...first, ...words], {
    env: { ...command.env, FARHAND_TOKEN: hub.token ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = () => child.kill('SIGTERM')
  command.stop.addEventListener('abort', end)
  let out = ''
  let errors = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    errors += text
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  command.stop.removeEventListener('abort', end)
  if (code !== 0)
    throw new Trouble('failed', `The run could not begin: ${errors.trim() || out.trim()}`, 'Fix that first.')
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
