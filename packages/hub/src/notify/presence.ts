import type { Presence as Shown } from '@farhand/protocol/schemas/sharing'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { RunViewers } from './run-viewers.ts'

/** A reader of a run who asked for presence. A guest is counted, and is told of no names. */
export type PresenceReader = { isGuest: boolean; tell: (text: string) => void }

type PresenceParts = {
  viewers: RunViewers
  /** The names of those among these users who may see the run. */
  namesIn: (run: RunId, users: readonly UserId[]) => Promise<Map<UserId, string>>
  onError: (error: unknown) => void
}

type Watched = { readers: Map<PresenceReader, string>; timer: NodeJS.Timeout | null; telling: Promise<void> }

const leastMs = 100

/** Tells the readers of a run who views it and who is typing (W115). It is never written down. */
export class Presence {
  readonly #parts: PresenceParts
  readonly #watched = new Map<RunId, Watched>()

  constructor(parts: PresenceParts) {
    this.#parts = parts
    parts.viewers.onReport((run) => this.changed(run))
  }

  /** Tells this reader what is so now, and each change, until the returned function is called. */
  join(run: RunId, reader: PresenceReader): () => void {
    const watched = this.#watched.get(run) ?? { readers: new Map(), timer: null, telling: Promise.resolve() }
    this.#watched.set(run, watched)
    watched.readers.set(reader, '')
    this.changed(run)
    return () => {
      watched.readers.delete(reader)
      if (watched.readers.size > 0) return this.changed(run)
      if (watched.timer) clearTimeout(watched.timer)
      if (this.#watched.get(run) === watched) this.#watched.delete(run)
    }
  }

  /** Looks at a run again: a client has reported, or a user may no longer see it. */
  changed(run: RunId): void {
    const watched = this.#watched.get(run)
    if (!watched) return
    // One after the other, so that readers hear the newest state last.
    watched.telling = watched.telling.then(() => this.#tell(run, watched)).catch(this.#parts.onError)
  }

  /** Users were given other roles, or were removed: who may not see a run any more is not shown there. */
  roleChanged(): void {
    for (const run of this.#watched.keys()) this.changed(run)
  }

  stop(): void {
    for (const { timer } of this.#watched.values()) if (timer) clearTimeout(timer)
    this.#watched.clear()
  }

  async #tell(run: RunId, watched: Watched): Promise<void> {
    if (this.#watched.get(run) !== watched) return
    const { users, forMs } = this.#parts.viewers.present(run, performance.now())
    if (watched.timer) clearTimeout(watched.timer)
    watched.timer = null
    if (forMs !== null)
      watched.timer = setTimeout(() => this.changed(run), Math.max(leastMs, forMs + 1)).unref()
    const names = await this.#parts.namesIn(run, [...users.keys()])
    const guests = [...watched.readers.keys()].filter(({ isGuest }) => isGuest).length
    const people = [...names].map(([user, name]) => ({ user, name, isTyping: users.get(user) ?? false }))
    people.sort((a, b) => (a.name < b.name ? -1 : 1))
    const [all, counted] = [frameOf({ people, guests }), frameOf({ people: [], guests })]
    for (const [reader, told] of watched.readers) {
      const text = reader.isGuest ? counted : all
      if (told === text) continue
      watched.readers.set(reader, text)
      reader.tell(text)
    }
  }
}

/** Without an id: a reader that reconnects continues after the last event of the log. */
const frameOf = (shown: Shown): string => `event: presence\ndata: ${JSON.stringify(shown)}\n\n`
