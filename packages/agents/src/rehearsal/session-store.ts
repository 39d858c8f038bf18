import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The state of a session besides its messages. */
export type SessionState = {
  mode: string
  speed: string
  greeted: boolean
  /** The number of tool calls so far: ids must not start again after a restart. */
  calls: number
  tokens: number
  dollars: number | null
  memory: Record<string, string>
  /** What the user answered with "always", by kind of tool. */
  always: Record<string, 'allow' | 'reject'>
  /** By rate limit: its end in ms since 1970. */
  limits: Record<string, number>
}

export const newState: SessionState = {
  mode: 'normal',
  speed: 'real',
  greeted: false,
  calls: 0,
  tokens: 0,
  dollars: null,
  memory: {},
  always: {},
  limits: {},
}

export type Said = { by: 'user' | 'agent'; text: string }
type Note = { state: SessionState } | { said: Said }
export type StoredSession = { state: SessionState; said: Said[] }

/** Saves each session as a file; a note is on disk, though not flushed, when `note` returns. */
export class SessionStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  note(sessionId: string, note: Note): void {
    mkdirSync(this.#folder, { recursive: true })
    appendFileSync(this.#file(sessionId), `${JSON.stringify(note)}\n`)
  }

  load(sessionId: string): StoredSession | null {
    if (!isFileName(sessionId) || !existsSync(this.#file(sessionId))) return null
    const text = readFileSync(this.#file(sessionId), 'utf8')
    // A kill may have cut off the last line: the next note must not be appended to it.
    if (!text.endsWith('\n')) appendFileSync(this.#file(sessionId), '\n')
    return storedSession(text)
  }

  #file(sessionId: string): string {
    if (!isFileName(sessionId)) throw new Error(`a session cannot be called ${JSON.stringify(sessionId)}`)
    return path.join(this.#folder, `${sessionId}.jsonl`)
  }
}

// The host chooses the id: it must not lead out of the folder.
const isFileName = (sessionId: string) => /^[\w-]{1,100}$/.test(sessionId)

function storedSession(text: string): StoredSession {
  const stored: StoredSession = { state: { ...newState }, said: [] }
  for (const line of text.split('\n')) {
    const note = noteOf(line)
    if (note === null) continue
    if ('state' in note) stored.state = { ...newState, ...note.state }
    else stored.said.push(note.said)
  }
  return stored
}

// A line cut off by a kill: its write was never confirmed.
function noteOf(line: string): Note | null {
  try {
    return JSON.parse(line) as Note
  } catch {
    return null
  }
}
