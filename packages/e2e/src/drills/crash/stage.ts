import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import type { Dice } from '@farhand/testkit/dice'
import type { HubProcess } from '@farhand/testkit/hub-process'
import { type Answer, type Call, callHub } from '../call-hub.ts'
import type { Ledger } from './ledger.ts'
import { BrokenPromise } from './log-rules.ts'

/** Where a drill plays: one hub that comes and goes, one run, and whether it is time to come to an end. */
export class Stage {
  readonly hub: HubProcess
  readonly ledger: Ledger
  readonly dice: Dice
  readonly at: RunAddress
  readonly path: string
  readonly #agent = new Agent({ keepAlive: true })
  readonly #dropped = new AbortController()
  readonly #cast = { writers: [] as Promise<void>[], readers: [] as Promise<void>[] }
  readonly #onLastId = new Set<() => void>()
  #waiting: (() => void)[] = []
  #isUp = true
  #answers = 0
  #counting: { at: number; resolve: () => void } | null = null
  /** Writers finish what they began; once it is set, readers go on to this id. */
  closing = false
  #lastId: number | null = null

  constructor(hub: HubProcess, ledger: Ledger, dice: Dice, at: RunAddress) {
    this.hub = hub
    this.ledger = ledger
    this.dice = dice
    this.at = at
    this.path = paths.sync(at)
  }

  get lastId(): number | null {
    return this.#lastId
  }

  setLastId(id: number): void {
    this.#lastId = id
    for (const ring of this.#onLastId) ring()
  }

  onLastId(ring: () => void): () => void {
    this.#onLastId.add(ring)
    return () => this.#onLastId.delete(ring)
  }

  /** Adds a writer or a reader; if it finds a promise broken, the drill ends for all. */
  cast(role: 'writers' | 'readers', part: Promise<void>): void {
    this.#cast[role].push(part)
    part.catch((error) => this.drop(error))
  }

  /** Resolves when all of them have played to the end, those included who come in meanwhile. */
  async played(role: 'writers' | 'readers'): Promise<void> {
    const all = async () => {
      for (let part = 0; part < this.#cast[role].length; part += 1) await this.#cast[role][part]
    }
    await this.#within(all(), `the ${role} do not come to an end`)
  }

  drop(reason: unknown): void {
    this.#dropped.abort(reason)
    this.setUp(true)
    this.#counting?.resolve()
    this.#agent.destroy()
  }

  setUp(isUp: boolean): void {
    this.#isUp = isUp
    if (!isUp) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting = []
  }

  /** One request to the hub, as soon as there is one. Counts every answer, refusals included. */
  async call(call: Omit<Call, 'token'> & { token?: string }): Promise<Answer | 'lost'> {
    await this.up()
    const answer = await callHub(this.hub.port, { token: this.hub.token, ...call }, this.#agent)
    if (answer === 'lost') return answer
    this.#answers += 1
    if (this.#counting && this.#answers >= this.#counting.at) this.#counting.resolve()
    // A hub that is stopping refuses at once; asking on without a pause would only keep it from getting there.
    if (answer.status === 503) await this.pause(5)
    return answer
  }

  /** Resolves when a hub is there to be asked; gives up with the drill. */
  async up(): Promise<void> {
    if (!this.#isUp) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#dropped.signal.throwIfAborted()
  }

  /** Resolves after so many more answers. */
  async answers(count: number): Promise<void> {
    if (count === 0) return
    const counted = new Promise<void>((resolve) => {
      this.#counting = { at: this.#answers + count, resolve }
    })
    await this.#within(counted, 'the hub does not answer')
    this.#dropped.signal.throwIfAborted()
  }

  pause(ms: number): Promise<void> {
    return sleep(ms).then(() => this.#dropped.signal.throwIfAborted())
  }

  /** Long enough for the busiest machine: it only has to come before the test is stopped without a word. */
  async #within(promise: Promise<void>, otherwise: string): Promise<void> {
    const late = new AbortController()
    const tooLate = sleep(600_000, undefined, { signal: late.signal }).then(() => {
      throw new BrokenPromise(otherwise)
    })
    tooLate.catch(() => {})
    await Promise.race([promise, tooLate]).finally(() => late.abort())
  }
}
