import { follow } from '@farhand/client/follow/follow'
import type { Hub } from '@farhand/client/requests/hub'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Trouble } from '../trouble/trouble.ts'

/** An event, and when it was received. */
export type HeardEvent = SeenEvent & { atMs: number }

type IsLike = (event: HeardEvent) => boolean

/** Follows the log of a run across all deaths of the hub. */
export class DrillLog {
  readonly events: HeardEvent[] = []
  readonly #tree = new WorkspaceTree()
  readonly #waiting = new Set<() => void>()
  readonly #end = new AbortController()
  #trouble: unknown = null

  readonly #stop: AbortSignal

  constructor(hub: Hub, at: RunAddress, stop: AbortSignal) {
    this.#stop = stop
    stop.addEventListener('abort', () => this.#ring())
    void this.#read(hub, at)
  }

  get lastId(): number {
    return this.events.at(-1)?.id ?? 0
  }

  /** The files according to the log, in the format of `folderTree`. */
  tree(): string[] {
    return [...this.#tree.files()].map(({ path, entry }) => `${entry.mode} ${entry.hash} ${path}`).sort()
  }

  /** The first event after `id` that `isLike` accepts. Throws after `mostMs`. */
  async after(id: number, what: string, mostMs: number, isLike: IsLike): Promise<HeardEvent> {
    const untilMs = performance.now() + mostMs
    // Ids have no gaps, so the event after `id` has the index `id`.
    for (let next = id; ; ) {
      for (; next < this.events.length; next++) if (isLike(this.events[next]!)) return this.events[next]!
      if (this.#trouble) throw this.#trouble
      if (this.#stop.aborted) throw new Trouble('failed', 'The drill was stopped.', 'Nothing is left of it.')
      await this.#more(untilMs - performance.now(), what)
    }
  }

  stop(): void {
    this.#end.abort()
  }

  async #more(ms: number, what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const isLate = await new Promise<boolean>((resolve) => {
      const ring = () => resolve(false)
      this.#waiting.add(ring)
      timer = setTimeout(() => resolve(true), Math.max(0, ms))
    })
    clearTimeout(timer)
    if (isLate) {
      const last = this.events.slice(-8).map(({ id, notification: { method } }) => `${id} ${method}`)
      throw new Trouble(
        'failed',
        `Waited in vain for ${what}. The last events: ${last.join(', ')}.`,
        keptFolderHint,
      )
    }
  }

  async #read(hub: Hub, at: RunAddress): Promise<void> {
    try {
      for await (const event of follow(hub, at, { envelope: 'stored', signal: this.#end.signal })) {
        this.events.push({ ...event, atMs: performance.now() })
        this.#tree.apply(event)
        this.#ring()
      }
    } catch (error) {
      this.#trouble = error
      this.#ring()
    }
  }

  #ring(): void {
    for (const ring of this.#waiting) ring()
    this.#waiting.clear()
  }
}

export const keptFolderHint = 'The folder of the drill is kept: its name is below.'
