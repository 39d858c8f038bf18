import type { Remembered } from '@farhand/protocol/runs/agent-memories'
import type { Orders } from '../orders/orders.ts'
import type { PlaceNote } from './place-note.ts'

/** Which session an agent that starts here can resume. */
export type AvailableSession =
  /** Its last session, with everything that the agent has saved of it. */
  | { is: 'own' }
  /** A session that knows what happened up to this event; the agent has to be briefed about the rest. */
  | { is: 'as-of'; sessionId: string; since: number }
  /** No session. */
  | { is: 'gone' }

export type Known = {
  /** Null: no agent has ever worked here. */
  note: PlaceNote | null
  /** The newest memory of this agent that counts. */
  memory: Remembered | null
  session: Orders['session']
  generation: number
  /** The newest rewind (W39), or 0. */
  rewoundAt: number
}

/** Which session an agent that starts here can resume, or that a memory has to be restored first. */
export function availableSession(known: Known): AvailableSession | { is: 'to-restore' } {
  const { note, memory, session, generation, rewoundAt } = known
  const isHere = memory && note && (memory.place === note.place || memory.id === note.restored)
  // Files saved here since may include what a rewind has taken back.
  const isAsItWas = note?.rewoundAt === rewoundAt
  if (memory && !(isHere && isAsItWas)) return { is: 'to-restore' }
  if (!note) return { is: 'gone' }
  const { untold } = note
  if (untold && isAsItWas) return { is: 'as-of', ...untold }
  // What a dead runner had not sent is sent by the next one in the same place.
  const isOfHere = !session || session.generation === note.generation || session.generation === generation
  if (isOfHere) return { is: 'own' }
  // The run went on elsewhere, and nothing but the log came back.
  return memory ? { is: 'as-of', sessionId: memory.sessionId, since: memory.upTo } : { is: 'gone' }
}
