import type { Remembered } from '@farhand/protocol/runs/agent-memories'
import type { Orders } from '../orders/orders.ts'

/** What is known of the folder in which the agent keeps what it keeps. */
export type PlaceNote = {
  /** Tells it from every other place in which agents of this run have worked. */
  place: string
  /** The last runner that hosted the agent here. */
  generation: number
  /** The memory that was put here last: the event in which the log has it; 0 if none was. */
  restored: number
  /** The newest rewind of then (W39), or 0. */
  rewoundAt: number
  /** The session that was put here, and up to which event it knows what counted then; null once it was told the rest. */
  untold: { sessionId: string; since: number } | null
}

/** Which session an agent that starts here can be asked for. */
export type AvailableSession =
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
export function availableSession(known: Known): AvailableSession | { is: 'to-restore' } {
  const { note, memory, session, generation, rewoundAt } = known
  const isHere = memory && note && (memory.place === note.place || memory.id === note.restored)
  // What was kept here since may know what a rewind has taken away.
  const isAsItWas = note?.rewoundAt === rewoundAt
  if (memory && !(isHere && isAsItWas)) return { is: 'to-restore' }
  if (!note) return { is: 'gone' }
  const { untold } = note
  if (untold && isAsItWas) return { is: 'as-of', ...untold }
  // What a dead runner had left to say is said by the next one in the same place.
  const isOfHere = !session || session.generation === note.generation || session.generation === generation
  if (isOfHere) return { is: 'own' }
  // It went on elsewhere, and nothing of that came back but the log.
  return memory ? { is: 'as-of', sessionId: memory.sessionId, since: memory.upTo } : { is: 'gone' }
}
