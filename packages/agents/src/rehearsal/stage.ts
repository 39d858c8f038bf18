import { sleep } from '@farhand/kit/sleep'
import type { Turn } from '../acp-program.ts'
import type { Said, SessionState } from './session-store.ts'

/** What only the process as a whole can do. */
export type World = {
  nowMs(): number
  /** Ends the process, once everything said so far is out; never resolves. */
  crash(code: number): Promise<never>
  /** From now on, neither the end of the input nor a polite signal ends the process. */
  turnDeaf(): void
}

/** A session while the process has it. */
export type Session = { cwd: string; state: SessionState; said: Said[] }

/** Where the steps of one turn are played: what they say, how they wait, what they change of the session. */
export class Stage {
  readonly turn: Turn
  readonly session: Session
  readonly world: World
  #unwritten = ''
  #spoken = false

  constructor(turn: Turn, session: Session, world: World) {
    this.turn = turn
    this.session = session
    this.world = world
  }

  get state(): SessionState {
    return this.session.state
  }

  change(part: Partial<SessionState>): void {
    this.session.state = { ...this.session.state, ...part }
  }

  async chunk(text: string): Promise<void> {
    this.#unwritten += text
    this.#spoken = true
    await this.turn.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  }

  /** A sentence of its own: hosts join chunks as they are, so it brings its own distance to the last one. */
  async say(text: string): Promise<void> {
    await this.chunk(this.#spoken ? `\n\n${text}` : text)
  }

  async think(text: string): Promise<void> {
    await this.turn.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } })
  }

  /** Waits, unless the session is set to be quick; rejects as soon as the turn is cancelled. */
  async pause(ms: number): Promise<void> {
    if (this.state.speed !== 'instant' && ms > 0) return sleep(ms, { signal: this.turn.signal })
    await this.breathe()
  }

  /** Lets the process hear what it was sent: a loop that never does would miss its own cancel. */
  async breathe(): Promise<void> {
    await new Promise(setImmediate)
    this.turn.signal.throwIfAborted()
  }

  /** What was said since the last time this was asked. */
  takeSpoken(): string {
    const text = this.#unwritten
    this.#unwritten = ''
    return text
  }
}
