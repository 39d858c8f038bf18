import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Everything a session knows beside what was said in it. */
export type SessionState = {
  mode: string
  speed: string
  greeted: boolean
  /** How many tool calls there have been: their ids are counted, and may not begin again after a restart. */
  calls: number
  tokens: number
  dollars: number | null
  memory: Record<string, string>
  /** What "always" was said to, by kind of tool. */
  always: Record<string, 'allow' | 'reject'>
  /** When each rate limit is over, in ms since 1970. */
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

/** Sessions as files, one each; a note is on disk, though not flushed, when `note` returns. */
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
    // A kill in the middle of a line leaves it torn: the next one must not be torn with it.
    if (!text.endsWith('\n')) appendFileSync(this.#file(sessionId), '\n')
    return storedSession(text)
  }

  #file(sessionId: string): string {
    if (!isFileName(sessionId)) throw new Error(`a session cannot be called ${JSON.stringify(sessionId)}`)
    return path.join(this.#folder, `${sessionId}.jsonl`)
  }
}

// The host chooses what it asks to load: a path must not get out of the folder.
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

// A torn line was never promised to anybody.
function noteOf(line: string): Note | null {
  try {
    return JSON.parse(line) as Note
  } catch {
    return null
  }
}
