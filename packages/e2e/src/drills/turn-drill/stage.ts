import { mkdirSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { Dice } from '@farhand/testkit/dice'
import { HubProcess } from '@farhand/testkit/hub-process'
import { RunnerProcess } from './runner-process.ts'
import { Talker } from './talker.ts'

/** A hub, a runner and its agent, each a process of its own, and a person who talks to them. */
export class Stage {
  readonly home: string
  readonly workspace: string
  readonly process: HubProcess
  readonly hub: Hub
  readonly at: RunAddress
  readonly runner: RunnerProcess
  readonly talker: Talker
  readonly struck = { runner: 0, agent: 0, hub: 0, both: 0, line: 0 }
  /** The process that ended although the drill had not killed it. */
  ended: string | null = null
  #isEndExpected = false

  private constructor(home: string, process: HubProcess, at: RunAddress, seed: number) {
    this.home = home
    this.workspace = join(home, 'workspace')
    this.process = process
    this.hub = { url: process.url, token: process.token }
    this.at = at
    const state = join(home, 'state')
    this.runner = new RunnerProcess({ run: at.run, hub: this.hub, workspace: this.workspace, state })
    this.talker = new Talker(this.hub, at, new Dice(seed + 1))
  }

  static async set(seed: number): Promise<Stage> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-turn-drill-')))
    mkdirSync(join(home, 'workspace'))
    const process = await HubProcess.start({ data: join(home, 'hub') })
    const hub: Hub = { url: process.url, token: process.token }
    const project = await createProject(hub, { name: 'Drill' })
    const task = await createTask(hub, project.id, { title: 'Turns' })
    const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    const stage = new Stage(home, process, at, seed)
    await stage.#startRunner()
    return stage
  }

  /** Kills a process, and restarts it after a while. */
  async strike(dice: Dice): Promise<void> {
    const whom = dice.pick<keyof Stage['struck']>([
      'runner',
      'runner',
      'agent',
      'agent',
      'hub',
      'both',
      'line',
    ])
    const awayMs = dice.between(0, 400)
    if (whom === 'line') this.talker.cut()
    if (whom === 'agent' && !this.runner.killAgent()) return
    this.struck[whom] += 1
    if (whom === 'line' || whom === 'agent') return
    if (whom === 'hub' || whom === 'both') await this.process.kill()
    if (whom === 'runner' || whom === 'both') {
      this.#isEndExpected = true
      await this.runner.kill()
    }
    await sleep(awayMs)
    if (whom === 'hub' || whom === 'both') await this.process.spawn()
    if (whom === 'runner' || whom === 'both') await this.#startRunner()
  }

  /** The run is about to be closed. */
  expectEnd(): void {
    this.#isEndExpected = true
  }

  async close(): Promise<void> {
    this.#isEndExpected = true
    this.talker.leave()
    await this.runner.kill()
    await this.process.kill()
  }

  async #startRunner(): Promise<void> {
    await this.runner.spawn()
    this.#isEndExpected = false
    void this.runner.gone().then((code) => {
      if (!this.#isEndExpected)
        this.ended = `the runner ended by itself (${code}): ${this.runner.complaints.slice(-2000)}`
    })
  }
}
