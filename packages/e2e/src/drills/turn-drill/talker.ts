import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import { randomName } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Dice } from '@farhand/testkit/dice'

/** A person with a bad connection: follows the run, says things, and answers every question that comes. */
export class Talker {
  view: RunView = emptyRunView
  readonly over: Promise<void>
  readonly #hub: Hub
  readonly #at: RunAddress
  readonly #dice: Dice
  readonly #answered = new Set<string>()
  readonly #posts = new Set<Promise<unknown>>()
  #line = new AbortController()
  #cursor = 0
  #isGone = false
  #heard: () => void = () => {}
  #trouble: { why: unknown } | null = null

  constructor(hub: Hub, at: RunAddress, dice: Dice) {
    this.#hub = hub
    this.#at = at
    this.#dice = dice
    this.over = this.#listen()
    this.over.catch((why) => this.#fail(why))
  }

  /** Says it, once, however often the connection breaks; resolves with the event. */
  async say(method: string, params: Record<string, unknown> = {}): Promise<number> {
    const key = randomName()
    for (;;) {
      const { signal } = this.#line
      try {
        const event = { jsonrpc: '2.0' as const, method, params }
        return (await post(this.#hub, this.#at, event, { key, signal })).lastEventId
      } catch (why) {
        if (!signal.aborted || this.#isGone) throw why
      }
    }
  }

  /** Says it while the drill goes on. */
  sayMeanwhile(method: string, params: Record<string, unknown> = {}): void {
    const said = this.say(method, params)
    this.#posts.add(said)
    said.then(
      () => this.#posts.delete(said),
      (why) => this.#fail(why),
    )
  }

  /** Breaks all connections between this person and the hub. */
  cut(): void {
    const line = this.#line
    this.#line = new AbortController()
    line.abort()
  }

  /** Resolves when the run has come to where this holds. */
  async until(what: string, holds: (view: RunView) => boolean, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs
    for (;;) {
      if (this.#trouble) throw this.#trouble.why
      if (holds(this.view)) return
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) throw new Error(`${what} did not come: ${JSON.stringify(this.view)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.#heard = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** All that was said has arrived. */
  async settled(): Promise<void> {
    while (this.#posts.size > 0) await Promise.all(this.#posts)
  }

  leave(): void {
    this.#isGone = true
    this.cut()
  }

  async #listen(): Promise<void> {
    for (;;) {
      const { signal } = this.#line
      try {
        const from = { after: this.#cursor, envelope: 'stored' as const, signal }
        for await (const event of follow(this.#hub, this.#at, from)) this.#take(event)
        return
      } catch (why) {
        if (this.#isGone) return
        if (!signal.aborted) throw why
      }
    }
  }

  #take(event: SeenEvent): void {
    this.#cursor = event.id
    this.view = foldRunView(this.view, event)
    for (const { questionId, options } of this.view.openQuestions) {
      if (this.#answered.has(questionId)) continue
      this.#answered.add(questionId)
      const names = (options ?? []).map((option) => (typeof option === 'string' ? option : option.optionId))
      const choices = names.filter((name) => !name.endsWith('-always'))
      const answer = () => choices[this.#dice.between(0, choices.length - 1)] ?? 'something'
      const later = this.#dice.pick([0, 0, 0, 300, 900])
      const isTwice = this.#dice.chance(0.2)
      setTimeout(() => {
        this.sayMeanwhile('_posthog/user_response', { questionId, answer: answer() })
        if (isTwice) this.sayMeanwhile('_posthog/user_response', { questionId, answer: answer() })
      }, later)
    }
    this.#heard()
  }

  #fail(why: unknown): void {
    if (this.#isGone) return
    this.#trouble ??= { why }
    this.#heard()
  }
}
