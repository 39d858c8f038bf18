import type { ModelMessage } from 'ai'
import type { Need } from '../tools/tool.ts'
import type { Mode } from './modes.ts'
import type { SessionFile } from './session-file.ts'
import { type Note, type SessionState, withNote } from './session-state.ts'

/** One conversation. Changes are on disk when the method returns. */
export class Session {
  readonly id: string
  readonly cwd: string
  readonly #file: SessionFile | null
  #state: SessionState
  /** Messages before this index are sent shortened. */
  shortenedBefore = 0
  /** The context window learned from a provider's refusal, if it is smaller than documented. */
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
    this.#state = withNote(this.#state, note)
    this.#file?.add(this.id, note)
  }

  /** Makes call ids unique: some servers number the calls of each answer from the start. */
  callId(given: string): string {
    const times = (this.#callIds.get(given) ?? 0) + 1
    this.#callIds.set(given, times)
    return times === 1 ? given : `${given}-${times}`
  }
}
