import { setTimeout as sleep } from 'node:timers/promises'
import { follow } from '@farhand/client/follow/follow'
import type { Hub } from '@farhand/client/requests/hub'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** Reads a log as it grows, on a connection of its own that the drill does not cut. */
export class LogReader {
  view: RunView = emptyRunView
  readonly events: SeenEvent[] = []
  readonly #over = new AbortController()
  readonly #took: (event: SeenEvent) => void
  #heard: (() => void)[] = []
  #trouble: { why: unknown } | null = null

  constructor(hub: Hub, at: RunAddress, took: (event: SeenEvent) => void) {
    this.#took = took
    this.#listen(hub, at).catch((why) => this.fail(why))
  }

  /** Resolves when this holds; rejects when it does not within so long, or something failed. */
  async until(what: string, holds: () => boolean, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs
    for (;;) {
      if (this.#trouble) throw this.#trouble.why
      if (holds()) return
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) throw new Error(`${what} did not come: ${JSON.stringify(this.view)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.#heard.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  /** Something that is waited for may hold now. */
  look(): void {
    for (const heard of this.#heard.splice(0)) heard()
  }

  fail(why: unknown): void {
    if (this.#over.signal.aborted) return
    this.#trouble ??= { why }
    this.look()
  }

  leave(): void {
    this.#over.abort()
  }

  async #listen(hub: Hub, at: RunAddress): Promise<void> {
    const { signal } = this.#over
    for (;;) {
      const after = this.events.length
      const events = follow(hub, at, { after, envelope: 'stored', signal, backoff })
      for await (const event of events) this.#take(event)
      // It is closed, and may be opened again.
      await sleep(20, undefined, { signal })
    }
  }

  #take(event: SeenEvent): void {
    this.events.push(event)
    this.view = foldRunView(this.view, event)
    this.#took(event)
    this.look()
  }
}

// Who comes too late does not see the step at its moment.
const backoff = { firstMs: 10, maxMs: 50 }
