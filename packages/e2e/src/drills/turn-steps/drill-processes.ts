import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { HubProcess } from '@farhand/testkit/hub-process'
import {
  type Outcome,
  type PassingRequest,
  type WatchedProxy,
  watchedProxy,
} from '@farhand/testkit/watched-proxy'
import { RunnerProcess } from '../turn-drill/runner-process.ts'
import { ClientProcess } from './client-process.ts'
import { linesOf } from './file-outbox.ts'
import type { Journal } from './journal-rules.ts'
import type { Victim } from './steps.ts'

const mostStarts = 5

/** Only Linux says which processes another one has started. */
export const canFindAgents = existsSync('/proc/self/stat')

type Places = { home: string; workspace: string; device: string; messages: string; control: string }

const placesIn = (home: string): Places => ({
  home,
  workspace: join(home, 'workspace'),
  device: join(home, 'device'),
  messages: join(home, 'messages.ndjson'),
  control: join(home, 'control.ndjson'),
})

/** The processes that can be killed, in the order in which they need each other, and the proxy between them. */
export class DrillProcesses {
  readonly places: Places
  readonly hubProcess: HubProcess
  /** Not over the way that is watched. */
  readonly hub: Hub
  readonly at: RunAddress
  readonly runner: RunnerProcess
  readonly client: ClientProcess
  readonly #way: WatchedProxy
  readonly #back = { runner: Promise.resolve(), hub: Promise.resolve(), client: Promise.resolve() }
  /** Two who want to kill the same one do so one after the other. */
  #killing: Promise<unknown> = Promise.resolve()
  readonly #failed: (why: unknown) => void
  /** Whether the runner may end by itself, because the run was closed. */
  isClosing = false
  /** Of every runner that has spoken, in their order. */
  readonly journals = new Map<number, Journal>()
  #runnerLives = 0

  private constructor(
    places: Places,
    parts: { hub: HubProcess; at: RunAddress; way: WatchedProxy; isFed: boolean },
    failed: (why: unknown) => void,
  ) {
    const { hub, at, way, isFed } = parts
    this.places = places
    this.hubProcess = hub
    this.hub = { url: hub.url, token: hub.token }
    this.at = at
    this.#way = way
    this.#failed = failed
    const watched = { url: way.url, token: hub.token }
    const { home, workspace, device, messages, control } = places
    const settings = isFed ? ['--mode', 'server', '--messagesPath', messages, '--controlPath', control] : []
    const state = join(home, 'state')
    this.runner = new RunnerProcess({ run: at.run, hub: watched, workspace, state, settings })
    this.client = new ClientProcess(join(home, '../client.mjs'), { hub: watched, at, folder: device })
  }

  static async gather(
    home: string,
    isFed: boolean,
    watch: (passing: PassingRequest) => Promise<Outcome>,
    failed: (why: unknown) => void,
  ): Promise<DrillProcesses> {
    const places = placesIn(home)
    for (const folder of [places.workspace, places.device]) mkdirSync(folder, { recursive: true })
    const settings = ['--runner-away-ms', '300', '--close-grace-ms', '3000']
    const hub = await HubProcess.start({ data: join(home, 'hub'), settings })
    const way = await watchedProxy(hub.port, watch)
    const direct = { url: hub.url, token: hub.token }
    const project = await createProject(direct, { name: 'Drill' })
    const task = await createTask(direct, project.id, { title: 'Steps' })
    const at = addressOf(await createRun(direct, project.id, task.id, { sandbox: 'none' }))
    const processes = new DrillProcesses(places, { hub, at, way, isFed }, failed)
    await Promise.all([processes.startRunner(), processes.client.spawn()])
    return processes
  }

  /** Kills a process and restarts it after a while; false if it was not running. `reviving` is called just before the restart. */
  async kill(victim: Victim, awayMs: number, reviving: () => void): Promise<boolean> {
    if (victim === 'agent') {
      const isKilled = this.runner.killAgent()
      if (isKilled) reviving()
      return isKilled
    }
    const isKilled = this.#killing.then(() => this.#kill(victim, awayMs, reviving))
    this.#killing = isKilled.catch(() => {})
    return await isKilled
  }

  async #kill(victim: Exclude<Victim, 'agent'>, awayMs: number, reviving: () => void): Promise<boolean> {
    await this.#back[victim]
    const whom = { runner: this.runner, hub: this.hubProcess, client: this.client }[victim]
    if (whom.pid === undefined) return false
    if (victim === 'runner') this.#runnerLives += 1
    await whom.kill()
    this.#back[victim] = this.#revive(victim, awayMs, reviving)
    this.#back[victim].catch(this.#failed)
    return true
  }

  /** Takes note of what the last runner had to say: its journal is gone when the next one has begun. */
  readJournal(): void {
    const ofRun = join(this.places.home, 'state/runs', this.at.run)
    for (const name of namesIn(ofRun)) {
      const folder = join(ofRun, name, 'runner/journal')
      // It is one file until it is larger than any of this.
      for (const file of namesIn(folder).filter((name) => /^\d+\.0\.ndjson$/.test(name))) {
        const entries = linesOf(join(folder, file)).map((line) => JSON.parse(line) as Notification)
        const generation = Number.parseInt(file, 10)
        this.journals.set(generation, { generation, entries })
      }
    }
  }

  async allBack(): Promise<void> {
    await Promise.all(Object.values(this.#back))
  }

  /** Starts a runner if there is none: without a hub for a while, or without an open run, a runner ends. */
  async startRunner(): Promise<void> {
    if (this.runner.pid !== undefined) return
    this.readJournal()
    const life = ++this.#runnerLives
    for (let nth = 1; ; nth++) {
      try {
        await this.runner.spawn()
        break
      } catch (why) {
        if (this.isClosing) return
        if (nth === mostStarts) throw why
      }
    }
    void this.runner.gone().then((code) => {
      if (this.isClosing || life !== this.#runnerLives) return
      this.#failed(new Error(`the runner ended by itself (${code}): ${this.runner.complaints.slice(-2000)}`))
    })
  }

  /** Ends all processes, in the middle of their work too. */
  async dismiss(): Promise<void> {
    this.isClosing = true
    await this.allBack().catch(() => {})
    await Promise.all([this.runner.kill(), this.client.kill()])
    await this.#way.close()
    await this.hubProcess.kill()
  }

  async #revive(victim: Exclude<Victim, 'agent'>, awayMs: number, reviving: () => void): Promise<void> {
    await sleep(awayMs)
    reviving()
    if (victim === 'hub') return await this.hubProcess.spawn()
    if (victim === 'client') return await this.client.spawn()
    await this.#back.hub
    await this.startRunner()
  }
}

/** Processes that belong to this run and are still there, as far as processes can be listed here. */
export function leftOf(run: string): number[] {
  // Only Linux lists them there.
  const pids = namesIn('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`FARHAND_AGENT=${run} `)
    } catch {
      // It has ended since, or belongs to another user.
      return false
    }
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // There is nothing yet, or it is a file.
    return []
  }
}
