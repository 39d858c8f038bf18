import { sleep } from '@farhand/kit/sleep'
import type { Turn } from '../acp-program.ts'
import type { Said, SessionState } from './session-store.ts'

/** Operations of the whole process. */
export type World = {
  nowMs(): number
  /** Ends the process once all output is written; never resolves. */
  crash(code: number): Promise<never>
  /** From now on, neither the end of the input nor SIGTERM ends the process. */
  turnDeaf(): void
}

/** A session in memory. */
export type Session = { cwd: string; state: SessionState; said: Said[] }

/** Performs the output, waiting and session changes of one turn's steps. */
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

  /** Says a sentence. Hosts join chunks as they are, so it adds an empty line before it. */
  async say(text: string): Promise<void> {
    await this.chunk(this.#spoken ? `\n\n${text}` : text)
  }

  async think(text: string): Promise<void> {
    await this.turn.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } })
  }

  /** Waits, unless the session's speed is `instant`; rejects when the turn is cancelled. */
  async pause(ms: number): Promise<void> {
    if (this.state.speed !== 'instant' && ms > 0) return sleep(ms, { signal: this.turn.signal })
    await this.breathe()
  }

  /** Lets the event loop run: a loop without it would miss its own cancel. */
  async breathe(): Promise<void> {
    await new Promise(setImmediate)
    this.turn.signal.throwIfAborted()
  }

  /** The text said since the last call. */
  takeSpoken(): string {
    const text = this.#unwritten
    this.#unwritten = ''
    return text
  }
}
