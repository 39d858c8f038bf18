import type { ModelMessage } from 'ai'
import type { Need } from '../tools/tool.ts'
import type { Mode } from './modes.ts'

/** What is saved of a session, one note per line. */
export type Note =
  | { message: ModelMessage }
  | { mode: Mode }
  | { always: Need[] }
  /** A turn has begun or ended; `open` is the hash of a prompt whose turn is not finished. */
  | { open: string | null }

export type SessionState = { messages: ModelMessage[]; mode: Mode; always: Need[]; open: string | null }

export const newState: SessionState = { messages: [], mode: 'ask', always: [], open: null }

/** The state with a note applied. */
export function withNote(state: SessionState, note: Note): SessionState {
  if (!('message' in note)) return { ...state, ...note }
  // In place: copying for each message of a long session would take quadratic time.
  state.messages.push(note.message)
  return state
}
