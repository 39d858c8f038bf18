import type { ModelMessage } from 'ai'
import type { Need } from '../tools/tool.ts'
import type { Mode } from './modes.ts'

/** What is written down of a session, one line each. */
export type Note =
  | { message: ModelMessage }
  | { mode: Mode }
  | { always: Need[] }
  /** A turn has begun or ended; `open` is the hash of the prompt of one that did not come to its end. */
  | { open: string | null }

export type SessionState = { messages: ModelMessage[]; mode: Mode; always: Need[]; open: string | null }

export const newState: SessionState = { messages: [], mode: 'ask', always: [], open: null }

/** The state after a note. */
export function withNote(state: SessionState, note: Note): SessionState {
  if (!('message' in note)) return { ...state, ...note }
  // In place: a copy at every message of a long session would be quadratic.
  state.messages.push(note.message)
  return state
}
