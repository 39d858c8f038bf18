import { setImmediate } from 'node:timers/promises'

/** One life of a replica, from its start until it is stopped or killed. */
export type Life = { readonly name: string; isDead: boolean; readonly stop: AbortController }

type Pending = {
  life: Life
  label: string
  isReady: () => boolean
  effect: (() => void) | null
  go: () => void
  due: number
  isSent: boolean
}

export type Wait = { isReady?: () => boolean; signal?: AbortSignal | undefined; due?: number }
/** Answers that arrive in the order in which things were done. */
export type Line = { answers: object[] }

const never = () => new Promise<never>(() => {})
const always = () => true

/**
 * Holds all pending operations, and lets one of them continue at a time, in a random order. What a dead life asks for is
 * never answered.
 */
export class Scheduler {
  readonly #roll: () => number
  readonly #pending: Pending[] = []
  readonly story: string[] = []
  now = 0
  steps = 0

  constructor(roll: () => number) {
    this.#roll = roll
  }

  roll(): number {
    return this.#roll()
  }

  chance(share: number): boolean {
    return this.#roll() < share
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#roll() * values.length)]!
  }

  tell(line: string): void {
    this.story.push(`${String(this.steps).padStart(4)} ${line}`)
  }

  /** Resolves some time after it is ready. */
  wait(life: Life, label: string, { isReady = always, signal, due = 0 }: Wait = {}): Promise<void> {
    return this.#hold(life, label, null, isReady, signal, due)
  }

  /** Does something at some moment, and says so at a later one. If the life ends in between, it may be done or not. */
  async act<Result>(
    life: Life,
    label: string,
    effect: () => Result,
    { isReady = always, signal, line, isSent = false }: Wait & { line?: Line; isSent?: boolean } = {},
  ): Promise<Result> {
    const answer = {}
    let outcome: { result: Result } | { error: unknown } | null = null
    const once = () => {
      line?.answers.push(answer)
      try {
        outcome = { result: effect() }
      } catch (error) {
        outcome = { error }
      }
    }
    await this.#hold(life, label, once, isReady, signal, 0, isSent)
    const isNext = () => !line || line.answers[0] === answer
    await this.#hold(life, `${label}, answered`, null, isNext, line ? undefined : signal, 0)
    line?.answers.shift()
    const done = outcome as unknown as { result: Result } | { error: unknown }
    if ('error' in done) throw done.error
    return done.result
  }

  /** Does something at some moment, without an answer. */
  do(life: Life, label: string, effect: () => void): Promise<void> {
    return this.#hold(life, label, effect, always, undefined, 0)
  }

  /** Lets one go on that is ready, and everything that follows from it. False if none is, and none will be. */
  async step(): Promise<boolean> {
    await setImmediate()
    this.steps += 1
    this.now += this.#roll() * 10
    let ready = this.#pending.filter((one) => one.due <= this.now && one.isReady())
    if (ready.length === 0) {
      const due = Math.min(...this.#pending.filter((one) => one.due > this.now).map((one) => one.due))
      if (due === Number.POSITIVE_INFINITY) return false
      this.now = due
      ready = this.#pending.filter((one) => one.due <= due && one.isReady())
    }
    const one = this.pick(ready)
    this.#pending.splice(this.#pending.indexOf(one), 1)
    one.effect?.()
    one.go()
    await setImmediate()
    return true
  }

  /** The life ends at this moment. What it had under way happens, or does not; what is on the network, even later. */
  kill(life: Life): void {
    life.isDead = true
    for (const one of this.#pending.filter((one) => one.life === life)) {
      if (one.isSent && this.chance(0.3)) continue
      this.#pending.splice(this.#pending.indexOf(one), 1)
      if (one.effect && one.isReady() && this.chance(0.5)) one.effect()
    }
  }

  #hold(
    life: Life,
    label: string,
    effect: (() => void) | null,
    isReady: () => boolean,
    signal: AbortSignal | undefined,
    due: number,
    isSent = false,
  ): Promise<void> {
    if (life.isDead) return never()
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const giveUp = () => {
        const at = this.#pending.indexOf(one)
        if (at === -1 || life.isDead) return
        this.#pending.splice(at, 1)
        reject(signal?.reason)
      }
      const go = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const one: Pending = { life, label, isReady, effect, due, go, isSent }
      this.#pending.push(one)
      signal?.addEventListener('abort', giveUp)
    })
  }
}
