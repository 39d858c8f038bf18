import type { Remembered } from '@farhand/protocol/agent-memories'
import type { Orders } from '../turns/orders.ts'

/** What is known of the folder in which the agent keeps what it keeps. */
export type PlaceNote = {
  /** Tells it from every other place in which agents of this run have worked. */
  place: string
  /** The last runner that hosted the agent here. */
  generation: number
  /** The memory that was put here last: the event in which the log has it; 0 if none was. */
  restored: number
  /** The session that was put here, and up to which event it knows what counted then; null once it was told the rest. */
  untold: { sessionId: string; since: number; rewoundAt: number } | null
}

/** Which session an agent that starts here can be asked for. */
export type SessionHere =
  /** The one that it was in last, and all that the agent has kept of it. */
  | { is: 'own' }
  /** One that knows what happened up to an event, and has to be told the rest. */
  | { is: 'as-of'; sessionId: string; since: number }
  /** None. */
  | { is: 'gone' }

export type Known = {
  /** Null: no agent has ever been here. */
  note: PlaceNote | null
  /** The memory of this agent that counts. */
  memory: Remembered | null
  session: Orders['session']
  generation: number
  /** The newest rewind (W39), or 0. */
  rewoundAt: number
}

/** What an agent that starts here knows, or that a memory has to be put here first. */
export function sessionHere(known: Known): SessionHere | { is: 'to-restore' } {
  const { note, memory, session, generation, rewoundAt } = known
  const isHere = memory && note && (memory.place === note.place || memory.id === note.restored)
  if (memory && !isHere) return { is: 'to-restore' }
  if (!note) return { is: 'gone' }
  const { untold } = note
  if (untold?.rewoundAt === rewoundAt)
    return { is: 'as-of', sessionId: untold.sessionId, since: untold.since }
  // What a dead runner had left to say is said by the next one in the same place.
  const isOfHere = !session || session.generation === note.generation || session.generation === generation
  if (isOfHere) return { is: 'own' }
  // It went on elsewhere, and nothing of that came back but the log.
  const isMissed = memory && memory.upTo > rewoundAt
  return isMissed ? { is: 'as-of', sessionId: memory.sessionId, since: memory.upTo } : { is: 'gone' }
}
