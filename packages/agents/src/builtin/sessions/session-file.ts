import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { closeOpenCalls } from './close-open-calls.ts'
import { type Note, newState, type SessionState, withNote } from './session-state.ts'

/** Saves each session as a file of JSON lines; a note survives the end of the process once `add` has returned. */
export class SessionFile {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = path.join(home, 'sessions')
  }

  add(sessionId: string, note: Note): void {
    // Other users of this machine must not read conversations.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    appendFileSync(this.#at(sessionId), `${JSON.stringify(note)}\n`, { mode: 0o600 })
  }

  /** Null if there is no such session. */
  load(sessionId: string): SessionState | null {
    // The host chooses the id: it must not lead out of the folder.
    if (!/^[\w-]{1,100}$/.test(sessionId) || !existsSync(this.#at(sessionId))) return null
    const text = readFileSync(this.#at(sessionId), 'utf8')
    // A kill may have cut off the last line: the next note must not be appended to it.
    if (!text.endsWith('\n')) appendFileSync(this.#at(sessionId), '\n')
    return stateOf(text)
  }

  #at(sessionId: string): string {
    return path.join(this.#folder, `${sessionId}.jsonl`)
  }
}

/** Folds the lines of a session file into its state; a line cut off by a kill is skipped. */
export function stateOf(text: string): SessionState {
  let state: SessionState = { ...newState, messages: [] }
  for (const line of text.split('\n')) {
    const note = noteOf(line)
    if (note) state = withNote(state, note)
  }
  return { ...state, messages: closeOpenCalls(state.messages, 'The agent was ended before this was done.') }
}

function noteOf(line: string): Note | null {
  try {
    const note = JSON.parse(line) as unknown
    return typeof note === 'object' && note !== null ? (note as Note) : null
  } catch {
    return null
  }
}
