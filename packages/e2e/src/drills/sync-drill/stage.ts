import { mkdirSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { type BadNetwork, badNetwork } from '@farhand/testkit/bad-network'
import type { Dice } from '@farhand/testkit/dice'
import { HubProcess } from '@farhand/testkit/hub-process'
import { LinkProcess } from '@farhand/testkit/link-process'
import type { NetworkConditions } from '@farhand/testkit/mishaps'
import { differences, type FolderTree, lastChange, treeOf, treeOfLog } from '../../files/folder-tree.ts'

/** A connection that says nothing is given up after half a minute, so those that only break are what a drill is for. */
const conditions: NetworkConditions = {
  mishaps: ['cut', 'reset', 'half-close', 'delay', 'trickle'],
  // A content travels in one piece: where none of a megabyte gets through, nothing ever comes to rest.
  within: { bytes: 8_000_000, ms: 4000 },
}
const patienceMs = 300_000

type Mortal = { spawn(): Promise<void>; kill(): Promise<number | null>; gone(): Promise<number | null> }

/** A hub and two linked folders, each a process of its own, with bad roads between them. */
export class Stage {
  readonly home: string
  readonly hub: Hub
  readonly run: RunAddress
  readonly process: HubProcess
  readonly laptop: LinkProcess
  readonly sandbox: LinkProcess
  readonly #roads: BadNetwork[]
  readonly #doomed = new Set<Mortal>()
  #heard: () => void = () => {}
  /** The process that ended although the drill had not killed it. */
  ended: string | null = null
  killed = 0

  private constructor(
    home: string,
    process: HubProcess,
    run: RunAddress,
    links: Record<'laptop' | 'sandbox', LinkProcess>,
    roads: BadNetwork[],
  ) {
    this.home = home
    this.process = process
    this.hub = { url: process.url, token: process.token }
    this.run = run
    this.laptop = links.laptop
    this.sandbox = links.sandbox
    this.#roads = roads
    for (const link of [links.laptop, links.sandbox]) link.heard = () => this.#heard()
  }

  static async set(seed: number): Promise<Stage> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-sync-drill-')))
    const process = await HubProcess.start({ data: join(home, 'hub') })
    const hub: Hub = { url: process.url, token: process.token }
    const project = await createProject(hub, { name: 'Drill' })
    const task = await createTask(hub, project.id, { title: 'Sync' })
    const run = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    const roads: BadNetwork[] = []
    const link = async (name: string, wins: 'disk' | 'log') => {
      const road = await badNetwork({ port: process.port, seed: seed + roads.length, conditions })
      roads.push(road)
      const folder = join(home, name)
      mkdirSync(folder)
      const far = { url: road.url, token: process.token }
      const settings = ['--gone', 'delete']
      return new LinkProcess({ folder, state: `${folder}.state`, run: run.run, hub: far, wins, settings })
    }
    const links = { laptop: await link('laptop', 'disk'), sandbox: await link('sandbox', 'log') }
    const stage = new Stage(home, process, run, links, roads)
    stage.#watchOver('hub', process)
    for (const name of ['laptop', 'sandbox'] as const) {
      await links[name].spawn()
      stage.#watchOver(name, links[name])
    }
    // A folder with files that is linked to a run with files makes the link ask a question (S11), which the drill does not answer.
    await stage.atRest()
    return stage
  }

  get broken(): number {
    return this.#roads.reduce((sum, road) => sum + road.broken(), 0)
  }

  /** Kills one of the three, and lets it come back after a while. */
  async killOne(dice: Dice): Promise<void> {
    const name = dice.pick(['hub', 'laptop', 'sandbox', 'laptop', 'sandbox'])
    const mortal: Mortal = name === 'hub' ? this.process : this[name as 'laptop' | 'sandbox']
    this.#doomed.add(mortal)
    await mortal.kill()
    this.killed += 1
    await sleep(dice.between(0, name === 'hub' ? 500 : 2000))
    await mortal.spawn()
    this.#doomed.delete(mortal)
    this.#watchOver(name, mortal)
  }

  /** Waits until both folders hold what the log says, and gives that (S12). */
  async atRest(): Promise<{ tree: FolderTree; events: SeenEvent[] }> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      let isNews = false
      const news = new Promise<boolean>((resolve) => {
        this.#heard = () => {
          isNews = true
          resolve(true)
        }
      })
      if (this.ended) throw new Error(this.ended)
      const events: SeenEvent[] = []
      for await (const event of readLog(this.hub, this.run)) events.push(event)
      const tree = treeOfLog(events)
      const last = lastChange(events)
      const differ = (['laptop', 'sandbox'] as const).flatMap((name) =>
        differences(treeOf(this[name].folder), tree).map((one) => `${name} / the log: ${one}`),
      )
      if (differ.length === 0 && [this.laptop, this.sandbox].every((link) => isInStep(link, last)))
        return { tree, events }
      const leftMs = deadline - performance.now()
      if (!isNews && !(await Promise.race([news, sleep(leftMs, false)])))
        throw new Error(`not at rest (S12), ${differ.length} differ:\n${differ.slice(0, 20).join('\n')}`)
    }
  }

  async close(): Promise<void> {
    for (const mortal of [this.process, this.laptop, this.sandbox]) {
      this.#doomed.add(mortal)
      await mortal.kill()
    }
    for (const road of this.#roads) await road.close()
  }

  #watchOver(name: string, mortal: Mortal): void {
    void mortal.gone().then((code) => {
      if (this.#doomed.has(mortal)) return
      this.ended = `the ${name} ended by itself (${code}): ${(mortal as LinkProcess).complaints.slice(-2000)}`
      this.#heard()
    })
  }
}

/** Whether it has said in this life that there is nothing to do, and knew this event when it did. */
function isInStep({ said }: LinkProcess, eventId: number): boolean {
  const last = said.findLast(({ event }) => event === 'in-step' || event === 'progress' || event === 'linked')
  return last?.event === 'in-step' && Number(last.cursor) >= eventId
}
