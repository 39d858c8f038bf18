import { wireName } from '@farhand/protocol/wire/wire-names'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import {
  allAreEqual,
  Broken,
  localWins,
  noEchoes,
  nothingIsDestroyed,
  nothingIsReverted,
  nothingLiesAround,
} from './claims.ts'
import { entryInWords, entryOf, type File, sizeOf } from './contents.ts'
import { FakeHub } from './fake-hub.ts'
import { baseEntries, type Plan, type PlannedAction } from './plan.ts'
import { Replica } from './replica.ts'
import { Scheduler } from './scheduler.ts'

const mostSteps = 6000

export type Outcome = {
  /** Which claim does not hold, and how. */
  claim: string
  broken: string | null
  story: string[]
  steps: number
  events: number
  deaths: number
}

/** Plays a plan to its end and checks every claim. The same plan and the same chances give the same outcome. */
export async function play(plan: Plan, roll: () => number): Promise<Outcome> {
  const world = new World(plan, roll)
  let broken: string | null = null
  let claim = ''
  try {
    await world.run()
  } catch (error) {
    claim = error instanceof Broken ? error.claim : 'threw'
    broken = error instanceof Broken ? error.message : `${(error as Error).stack}`
  }
  const { scheduler, hub } = world
  const deaths = world.all.reduce((sum, replica) => sum + replica.deaths, 0)
  return { broken, claim, story: scheduler.story, steps: scheduler.steps, events: hub.events.length, deaths }
}

class World {
  readonly scheduler: Scheduler
  readonly hub: FakeHub
  /** Those that run, or will again: the devices, then the runner. */
  readonly replicas: Replica[]
  readonly all: Replica[]
  readonly #plan: Plan
  #broken: Broken | null = null

  constructor(plan: Plan, roll: () => number) {
    this.#plan = plan
    this.scheduler = new Scheduler(roll)
    this.hub = new FakeHub(this.scheduler, baseEntries(plan))
    this.hub.onSay = (author, changes) => {
      const who = this.all.find((replica) => JSON.stringify(replica.author) === JSON.stringify(author))
      for (const { path, entry } of changes) this.#claim(() => nothingIsReverted(who!, this.hub, path, entry))
    }
    const devices = ['laptop', 'desktop'].slice(0, plan.devices)
    this.replicas = devices.map((name) => this.#replica(name))
    this.replicas.push(this.#replica('runner'))
    this.all = [...this.replicas]
    plan.folders.forEach((folder, who) => {
      const { disk } = this.replicas[who]!
      const files = folder === 'base' ? plan.base : folder === 'empty' ? [] : folder
      // Something else than what the run began with: a user has worked on that here before.
      if (files !== plan.base)
        for (const [path, file] of plan.base) {
          disk.write(path, file, 'engine')
          disk.remove(path)
        }
      for (const [path, file] of files) disk.write(path, file, folder === 'base' ? 'engine' : 'hand')
    })
    for (const [path, file] of plan.base) this.#runner.disk.write(path, file, 'engine')
  }

  get #runner(): Replica {
    return this.replicas.at(-1)!
  }

  async run(): Promise<void> {
    const actions = [...this.#plan.actions]
    for (const replica of this.replicas) replica.start()
    for (let idle = false; ; ) {
      const { steps } = this.scheduler
      if (steps > mostSteps) throw new Broken('settles', 'it does not settle')
      while (actions.length > 0 && (actions[0]!.at <= steps || idle)) {
        this.#do(actions.shift()!)
        idle = false
      }
      if (actions.length === 0) for (const replica of this.all) replica.deathRate = 0
      for (const replica of this.replicas) {
        if (replica.backAt === null || (replica.backAt > steps && !idle)) continue
        replica.start()
        idle = false
      }
      if (idle) break
      idle = !(await this.scheduler.step())
      this.#check()
    }
    allAreEqual(this.replicas, this.hub)
    noEchoes(this.all, this.hub)
    nothingLiesAround(this.replicas)
  }

  #check(): void {
    if (this.#broken) throw this.#broken
    for (const { name, failure } of this.all)
      if (failure) throw new Broken('failed', `${name} failed: ${(failure as Error).stack}`)
    if (this.#runner.isFenced) throw new Broken('fenced', 'the newest runner was refused')
  }

  // What breaks inside of the engine's own calls must not be caught by it.
  #claim(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#broken ??= error as Broken
    }
  }

  #replica(name: string): Replica {
    const author =
      name === 'runner'
        ? ({ kind: 'runner', generation: 1 } as const)
        : ({ kind: 'device', id: `dev_${name}` } as const)
    const { scheduler, hub } = this
    const replica = new Replica(name, author, { scheduler, hub, base: baseEntries(this.#plan) })
    replica.deathRate = this.#plan.deathRate
    replica.disk.isUnreliable = this.#plan.deathRate > 0
    replica.disk.onApply = (path, from, to) => {
      this.#claim(() => nothingIsDestroyed(replica, hub, path, from, to))
      this.#claim(() => localWins(replica, hub, path))
      replica.yields.delete(path)
    }
    return replica
  }

  #do(action: PlannedAction): void {
    const replica = this.replicas[action.who === 2 ? this.replicas.length - 1 : action.who]!
    if (action.do === 'write') replica.disk.write(action.path, action.file)
    else if (action.do === 'remove') replica.disk.remove(action.path)
    else if (action.do === 'rename') replica.disk.rename(action.path, action.to)
    else if (action.do === 'crash') replica.kill('')
    else if (action.do === 'stop') replica.stop()
    else if (action.do === 'forget') replica.forget()
    else if (action.do === 'replace') this.#replace(action.with, action.isLeftRunning)
    else this.#fromTheWeb(action)
  }

  #replace(by: 'same' | 'empty' | 'restored', isLeftRunning: boolean): void {
    const old = this.#runner
    if (by === 'same') {
      old.kill('and replaced')
      return
    }
    if (!isLeftRunning) old.retire()
    else old.backAt = null
    const next = this.#replica('runner')
    this.scheduler.tell(`a new runner begins in a folder that is ${by}`)
    if (by === 'restored')
      for (const path of this.hub.held.keys()) {
        const entry = this.hub.entry(path)
        if (entry)
          next.disk.write(
            path,
            { word: entryInWords({ ...entry, mode: '100644' }), mode: entry.mode },
            'engine',
          )
      }
    this.replicas[this.replicas.length - 1] = next
    this.all.push(next)
    next.start()
  }

  #fromTheWeb({ path, file }: { path: WorkspacePath; file: File | null }): void {
    const entry = entryOf(file)
    const now = this.hub.entry(path)
    if (!entry && !now) return
    // Every other one is of a program that does not say what it knew: it counts in the order of arrival (W61).
    const was = this.hub.events.length % 2 === 0 ? now : undefined
    if (entry) this.hub.blobs.add(entry.hash)
    const params = entry
      ? { path, action: 'modified', ...entry, size: sizeOf(file!.word), was }
      : { path, action: 'deleted', was }
    this.scheduler.tell(`the web makes ${path}=${entryInWords(entry)}`)
    this.hub.append({ kind: 'web', id: 'usr_somebody' }, wireName('file_sync'), params)
    if (entry) this.hub.name(path, entry)
  }
}
