import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeRun, initRun } from '@farhand/client/resources/resources'
import { randomName } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Outcome } from '@farhand/testkit/watched-proxy'
import { countedWords } from '../turn-drill/script.ts'
import type { Death } from './aftermath.ts'
import { DrillProcesses } from './drill-processes.ts'
import { FileOutbox } from './file-outbox.ts'
import { LogReader } from './log-reader.ts'
import type { Act, Kill } from './plan.ts'
import { play, type Stage } from './play.ts'
import { type Known, steps, type Way } from './steps.ts'

const patienceMs = 300_000
/** Steps at which no agent needs to be there; to kill it then, it must have been left from before. */
const beforeAgent = new Set(['message', 'ack', 'limit', 'limit-asked', 'limit-answer', 'limit-closed'])

/** An act, and the events that were written meanwhile. */
export type Played = { act: Act; from: number; to: number }

/** One run, in which scene after scene is played while those who take part are killed at their steps. */
export class Lane {
  readonly processes: DrillProcesses
  readonly reader: LogReader
  /** Whenever a runner or an agent was killed. */
  readonly deaths: Death[] = []
  readonly played: Played[] = []
  readonly #isFed: boolean
  readonly #outbox: FileOutbox
  readonly #words: { next(): string }
  readonly #struck: Set<Promise<void>> = new Set()
  #known: Known = { first: '', second: '', firstId: null }
  #armed: Kill[] = []
  #phases: Kill[][] = []
  #fired: Kill[] = []

  private constructor(
    processes: DrillProcesses,
    isFed: boolean,
    parts: { words: { next(): string }; reader: LogReader },
  ) {
    this.processes = processes
    this.#isFed = isFed
    this.#outbox = new FileOutbox(processes.places.device)
    this.#words = parts.words
    this.reader = parts.reader
  }

  static async open(home: string, isFed: boolean, words = countedWords()): Promise<Lane> {
    let lane: Lane | null = null
    const met = async (way: Way, lines: readonly string[]) => (await lane?.met(way, lines)) ?? 'passes'
    const failed = (why: unknown) => lane?.reader.fail(why)
    const processes = await DrillProcesses.gather(home, isFed, ({ at, lines }) => met(at, lines), failed)
    const reader = new LogReader(processes.hub, processes.at, ({ notification }) => {
      void met('seen', [JSON.stringify(notification)])
    })
    lane = new Lane(processes, isFed, { words, reader })
    return lane
  }

  /** Plays it to its end; resolves with those kills for which the moment did not come. */
  async act(act: Act): Promise<Kill[]> {
    const { scene, phases } = act
    const from = this.reader.events.length + 1
    await this.#prepare(phases[0]!)
    this.#known = { first: this.#words.next(), second: this.#words.next(), firstId: null }
    this.#fired = []
    this.#armed = []
    this.#phases = [...phases]
    this.#arm()
    this.processes.isClosing = scene === 'close'
    await play[scene](this.#stage())
    await this.#settled()
    await this.#idle()
    this.processes.isClosing = false
    this.#armed = []
    this.played.push({ act, from, to: this.reader.events.length })
    return phases.flat().filter((kill) => !this.#fired.includes(kill))
  }

  /** Closes the run as a person would, and resolves with the exit code of the runner. */
  async end(): Promise<number | null> {
    this.processes.isClosing = true
    const code = this.processes.runner.gone()
    await closeRun(this.processes.hub, this.processes.at)
    await this.reader.until('the end of the run', () => this.reader.view.status === 'closed', patienceMs)
    return await code
  }

  /** A step has happened: kills the process that has to be killed at it. */
  async met(way: Way, lines: readonly string[]): Promise<Outcome> {
    for (const line of lines) {
      const kill = this.#armed.find((one) => one.way === way && steps[one.step](line, this.#known))
      if (!kill) continue
      this.#armed = this.#armed.filter((one) => one !== kill)
      const strike = this.#strike(kill)
      this.#struck.add(strike)
      await strike.catch((why) => this.reader.fail(why))
      this.#struck.delete(strike)
      if (kill.isLost) return 'is lost'
    }
    return 'passes'
  }

  async #strike(kill: Kill): Promise<void> {
    await sleep(kill.delayMs)
    const isGrave = kill.victim === 'runner' || kill.victim === 'agent'
    const next = () => {
      if (isGrave) this.#arm()
    }
    const fromMs = Date.now()
    const isKilled = await this.processes.kill(kill.victim, kill.awayMs, next)
    if (isGrave) this.deaths.push({ fromMs, toMs: Date.now() })
    // Once a run is closed, a process that was not running any more counts as killed.
    if (isKilled || this.processes.isClosing) this.#fired.push(kill)
  }

  #arm(): void {
    this.#armed.push(...(this.#phases.shift() ?? []))
  }

  async #settled(): Promise<void> {
    while (this.#struck.size > 0) await Promise.allSettled([...this.#struck])
    await this.processes.allBack()
  }

  async #idle(): Promise<void> {
    const { reader } = this
    const isIdle = () => reader.view.unacked.flat().length + reader.view.openTurns.length === 0
    await reader.until('the end of the last turn', isIdle, patienceMs)
  }

  /** Some can be killed only if there is an agent, and some steps come only if there is none. */
  async #prepare(kills: readonly Kill[]): Promise<void> {
    const { runner } = this.processes
    if (kills.some(({ step, victim }) => victim === 'agent' && beforeAgent.has(step))) {
      if (runner.hasAgent) return
      this.#say('_posthog/user_message', { content: `say ${this.#words.next()}` })
      const before = this.reader.events.length
      const isOver = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'
      const holds = () => this.reader.events.slice(before).some(isOver)
      await this.reader.until('a first turn', holds, patienceMs)
    } else if (kills.some(({ step }) => step === 'start')) {
      const fromMs = Date.now()
      runner.killAgent()
      this.deaths.push({ fromMs, toMs: Date.now() })
      await sleep(100)
    }
  }

  #say(method: string, params: Record<string, unknown> = {}): void {
    const { messages, control } = this.processes.places
    const fed = this.#isFed ? fedLine(method, params) : null
    const notification = { jsonrpc: '2.0' as const, method, params }
    if (fed) appendFileSync(fed.isControl ? control : messages, `${JSON.stringify(fed.line)}\n`)
    else void this.#outbox.put({ key: randomName(), at: this.processes.at, notification })
  }

  #stage(): Stage {
    const from = this.reader.events.length
    const { first, second } = this.#known
    const find = (method: string, like: (params: Record<string, unknown>) => boolean) =>
      this.reader.events
        .slice(from)
        .find(({ notification }) => notification.method === method && like(notification.params ?? {}))
    return {
      first,
      second,
      say: (method, params) => this.#say(method, params),
      seen: async (method, like = () => true) => {
        await this.reader.until(method, () => find(method, like) !== undefined, patienceMs)
        const { id } = find(method, like)!
        if (method === '_posthog/user_message') this.#known.firstId ??= id
        return id
      },
      struck: () => this.#settled(),
      go: () => writeFileSync(join(this.processes.places.workspace, `${first}.go`), ''),
      idle: async () => {
        const isSaid = () => find('_posthog/user_message', ({ content }) => String(content).includes(first))
        await this.reader.until('the message', () => isSaid() !== undefined, patienceMs)
        await this.#idle()
      },
      view: () => this.reader.view,
      cost: () => Math.max(0, ...this.reader.events.map(costIn)),
      reopen: async () => {
        await this.processes.runner.gone()
        await initRun(this.processes.hub, this.processes.at)
        this.processes.isClosing = false
        await this.processes.startRunner()
      },
    }
  }
}

function fedLine(
  method: string,
  params: Record<string, unknown>,
): { line: object; isControl: boolean } | null {
  if (method === '_posthog/user_message')
    return { line: { type: 'user_message', ...params }, isControl: false }
  if (method === '_posthog/cancel') return { line: { action: 'cancel' }, isControl: true }
  if (method === '_posthog/close') return { line: { action: 'close' }, isControl: true }
  return null
}

function costIn({ notification: { params } }: SeenEvent): number {
  const update = params?.update as { cost?: { amount?: number } } | undefined
  return update?.cost?.amount ?? 0
}
