import type { ModelMessage } from 'ai'
import type { Mode } from './modes.ts'
import type { SessionFile } from './session-file.ts'
import type { Need } from '../tools/tool.ts'

/** What is written down of a session, one line each. */
export type Note =
  | { message: ModelMessage }
  | { mode: Mode }
  | { always: Need[] }
  /** A turn has begun or ended; `open` is the hash of the prompt of one that did not come to its end. */
  | { open: string | null }

export type SessionState = { messages: ModelMessage[]; mode: Mode; always: Need[]; open: string | null }

/** One conversation. What changes in it is on disk when the method returns. */
export class Session {
  readonly id: string
  readonly cwd: string
  readonly #file: SessionFile | null
  #state: SessionState
  /** Messages before this one are sent shortened. */
  shortenedBefore = 0
  /** Learned from a provider that said no: less than what its model is said to hold. */
  window = Number.POSITIVE_INFINITY
  readonly #callIds = new Map<string, number>()

  constructor(id: string, cwd: string, state: SessionState, file: SessionFile | null) {
    this.id = id
    this.cwd = cwd
    this.#state = state
    this.#file = file
  }

  get messages(): readonly ModelMessage[] {
    return this.#state.messages
  }

  get mode(): Mode {
    return this.#state.mode
  }

  get always(): readonly Need[] {
    return this.#state.always
  }

  get open(): string | null {
    return this.#state.open
  }

  note(note: Note): void {
    this.#state = noted(this.#state, note)
    this.#file?.add(this.id, note)
  }

  /** Some servers count their calls from the start in every answer; a host takes an id it knows for the same call. */
  callId(given: string): string {
    const times = (this.#callIds.get(given) ?? 0) + 1
    this.#callIds.set(given, times)
    return times === 1 ? given : `${given}-${times}`
  }
}

export const newState: SessionState = { messages: [], mode: 'ask', always: [], open: null }

/** The state after a note. */
export function noted(state: SessionState, note: Note): SessionState {
  if (!('message' in note)) return { ...state, ...note }
  // In place: a copy at every message of a long session would be quadratic.
  state.messages.push(note.message)
  return state
}
