import { blobsNamed } from '../events/blobs-named.ts'
import { paramsOf } from '../events/event-handlers.ts'
import type { BlobHash } from '../wire/blob-hash.ts'
import type { SeenEvent } from '../wire/seen-event.ts'
import { ConversationEvents } from './conversation-events.ts'

/** A memory of an agent, and the event that stored it. */
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

/** The valid memory of each agent, as a fold of the log: the newest that knows only events which were not rewound (W38, W39). */
export class AgentMemories {
  readonly #conversation = new ConversationEvents()
  /** Ordered by `upTo`. */
  readonly #memories: Remembered[] = []
  readonly #agents = new Set<string>()

  /** Takes the next event of the log. */
  take(event: SeenEvent): void {
    this.#conversation.take(event)
    const { id, notification, by } = event
    const said = by.kind === 'runner' ? paramsOf(notification, 'agent_memory') : undefined
    if (!said) return
    const { agent, sessionId, files, place = null, cwd = null } = said
    // A memory cannot know events after its own.
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

  /** The memory from which an agent of this id can go on. */
  newest(agent: string): Remembered | null {
    return this.all().find((memory) => memory.agent === agent) ?? null
  }

  /** The valid memory of each agent. */
  all(): Remembered[] {
    const found = new Map<string, Remembered>()
    for (let nth = this.#memories.length - 1; nth >= 0 && found.size < this.#agents.size; nth--) {
      const memory = this.#memories[nth]!
      if (!found.has(memory.agent) && this.#conversation.has(memory.upTo)) found.set(memory.agent, memory)
    }
    return [...found.values()]
  }
}
