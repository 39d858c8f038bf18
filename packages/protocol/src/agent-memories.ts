import type { BlobHash } from './blob-hash.ts'
import { blobsNamed } from './blobs-named.ts'
import { AgentMemory, Rewind } from './methods/lifecycle.ts'
import type { SeenEvent } from './seen-event.ts'

/** A memory that the log has, and the event in which it was told. */
export type Remembered = {
  id: number
  agent: string
  sessionId: string
  files: BlobHash
  upTo: number
  place: string | null
  cwd: string | null
  blobs: readonly BlobHash[]
}

/** `at`: where in the conversation it belongs, which for a memory is the last that it knows of. */
type Mark = { at: number; memory: Remembered } | { at: number; to: number }

/** Which memory of each agent counts, as a fold of the log: the newest, and after a rewind the newest up to there (W39). */
export class AgentMemories {
  readonly #marks: Mark[] = []
  readonly #agents = new Set<string>()

  /** Takes one more event, in their order. */
  take({ id, notification, by }: SeenEvent): void {
    const { method, params = {} } = notification
    if (method === '_posthog/rewind') {
      const { to } = Rewind.safeParse(params).data ?? {}
      if (to !== undefined) this.#put({ at: id, to })
    }
    if (method !== '_posthog/agent_memory' || by.kind !== 'runner') return
    const said = AgentMemory.safeParse(params).data
    if (!said) return
    const { agent, sessionId, files, upTo = id, place = null, cwd = null } = said
    this.#agents.add(agent)
    const memory = { id, agent, sessionId, files, upTo, place, cwd, blobs: blobsNamed(notification) }
    // One that says that it knows what is yet to come knows what was there.
    this.#put({ at: Math.min(upTo, id), memory })
  }

  /** The one that an agent of this id can go on from. */
  newest(agent: string): Remembered | null {
    return this.all().find((memory) => memory.agent === agent) ?? null
  }

  /** The one of each agent that counts now. */
  all(): Remembered[] {
    const found = new Map<string, Remembered>()
    let upTo = Number.POSITIVE_INFINITY
    for (let nth = this.#marks.length - 1; nth >= 0 && found.size < this.#agents.size; nth--) {
      const mark = this.#marks[nth]!
      if (mark.at > upTo) continue
      if ('to' in mark) upTo = Math.min(upTo, mark.to)
      else if (!found.has(mark.memory.agent)) found.set(mark.memory.agent, mark.memory)
    }
    return [...found.values()]
  }

  /** What is told late may belong before something that was said meanwhile. */
  #put(mark: Mark): void {
    let at = this.#marks.length
    while (at > 0 && this.#marks[at - 1]!.at > mark.at) at -= 1
    this.#marks.splice(at, 0, mark)
  }
}
