import { blobsNamed } from '../events/blobs-named.ts'
import { isEvent } from '../events/event-names.ts'
import { AgentMemory } from '../methods/lifecycle.ts'
import type { BlobHash } from '../wire/blob-hash.ts'
import type { SeenEvent } from '../wire/seen-event.ts'
import { ConversationEvents } from './conversation-events.ts'

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

/** Which memory of each agent counts, as a fold of the log: the newest that knows only what is still said (W38, W39). */
export class AgentMemories {
  readonly #conversation = new ConversationEvents()
  /** In the order of what they know. */
  readonly #memories: Remembered[] = []
  readonly #agents = new Set<string>()

  /** Takes the next event of the log. */
  take(event: SeenEvent): void {
    this.#conversation.take(event)
    const { id, notification, by } = event
    if (!isEvent(notification, 'agent_memory') || by.kind !== 'runner') return
    const said = AgentMemory.safeParse(notification.params).data
    if (!said) return
    const { agent, sessionId, files, place = null, cwd = null } = said
    // One that says that it knows what is yet to come knows what was there.
    const upTo = Math.min(said.upTo ?? id, id)
    this.#agents.add(agent)
    let at = this.#memories.length
    while (at > 0 && this.#memories[at - 1]!.upTo > upTo) at -= 1
    const memory = { id, agent, sessionId, files, upTo, place, cwd, blobs: blobsNamed(notification) }
    this.#memories.splice(at, 0, memory)
  }

  /** The newest rewind, or 0. */
  get rewoundAt(): number {
    return this.#conversation.rewoundAt
  }

  /** The one that an agent of this id can go on from. */
  newest(agent: string): Remembered | null {
    return this.all().find((memory) => memory.agent === agent) ?? null
  }

  /** The one of each agent that counts now. */
  all(): Remembered[] {
    const found = new Map<string, Remembered>()
    for (let nth = this.#memories.length - 1; nth >= 0 && found.size < this.#agents.size; nth--) {
      const memory = this.#memories[nth]!
      if (!found.has(memory.agent) && this.#conversation.has(memory.upTo)) found.set(memory.agent, memory)
    }
    return [...found.values()]
  }
}
