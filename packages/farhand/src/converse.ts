import { followPortions } from '@farhand/client/follow'
import type { Hub } from '@farhand/client/hub'
import { post } from '@farhand/client/post'
import { closeRun } from '@farhand/client/resources'
import { RunMode } from '@farhand/protocol/api'
import { TurnComplete } from '@farhand/protocol/methods/conversation'
import type { OpenQuestion } from '@farhand/protocol/open-question'
import type { RunAddress } from '@farhand/protocol/routes'
import { emptyRunView, type RunView, runView } from '@farhand/protocol/run-view'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import { pendingQuestions } from '@farhand/protocol/sync-status'
import { type TurnPlace, turnPlace } from '@farhand/protocol/turn-place'
import { z } from 'zod'
import { answersInWords, answerTyped } from './question-in-words.ts'
import type { RunScreen } from './run-screen.ts'
import type { Trouble } from './trouble.ts'
import type { World } from './world.ts'

export type ConverseParts = {
  hub: Hub
  at: RunAddress
  screen: RunScreen
  /** The message whose turn is waited for; null if only what goes on is watched. */
  messageId: number | null
  /** Resolves if the runner ends otherwise than it should; null if it is somebody else's. */
  runnerEnded: Promise<Trouble | null> | null
  /** The lines that a person types; null where nobody does: then it is over after the turn. */
  lines: World['lines']
}

/** Why it is over: the turn is, the run is, or whoever watched has left. */
export type ConverseEnd =
  | { is: 'turn-over'; stopReason: string; why: string | null }
  | { is: 'closed' | 'left' | 'stopped' }

const mostKept = 5_000
const Failed = z.looseObject({ error: z.looseObject({ message: z.string() }) })

/** Shows what happens in a run and sends what is typed, until the turn or the run is over or somebody leaves. */
export async function converse(parts: ConverseParts, world: World): Promise<ConverseEnd> {
  const talk = new Talk(parts, world)
  const undo = parts.lines ? world.onInterrupt(() => talk.interrupted()) : () => {}
  try {
    return await talk.run()
  } finally {
    undo()
    parts.screen.close()
  }
}

class Talk {
  readonly #parts: ConverseParts
  readonly #world: World
  readonly #over = new AbortController()
  readonly #signal: AbortSignal
  readonly #shown = new Set<string>()
  #view: RunView = emptyRunView
  #isLive = false
  #place: TurnPlace = 'before'
  #presses = 0
  #end: ConverseEnd | null = null
  #trouble: unknown = null

  constructor(parts: ConverseParts, world: World) {
    this.#parts = parts
    this.#world = world
    this.#signal = AbortSignal.any([world.stop, this.#over.signal])
  }

  async run(): Promise<ConverseEnd> {
    const { hub, at, runnerEnded, screen } = this.#parts
    runnerEnded?.then((trouble) => trouble && this.#fail(trouble))
    void this.#readLines()
    screen.status('getting ready')
    let kept: SeenEvent[] = []
    try {
      for await (const { events, live } of followPortions(hub, at, { signal: this.#signal })) {
        if (this.#isLive) for (const event of events) this.#take(event)
        else kept = this.#catchUp(kept, events)
        if (live && !this.#isLive) {
          this.#isLive = true
          for (const event of kept) screen.event(event)
          kept = []
        }
        if (this.#isLive && !this.#end) this.#settle()
        if (this.#isLive && this.#end) return this.#end
      }
      for (const event of kept) screen.event(event)
      return this.#end ?? { is: 'closed' }
    } catch (error) {
      if (this.#trouble) throw this.#trouble
      if (this.#end) return this.#end
      if (this.#world.stop.aborted) return { is: 'stopped' }
      throw error
    } finally {
      this.#over.abort()
    }
  }

  /** Ctrl-C: first the turn, then whoever watches. */
  interrupted(): void {
    this.#presses += 1
    const { screen } = this.#parts
    if (this.#presses > 1) this.#leave()
    else if (this.#isIdle) screen.say('Ctrl-C again leaves, and the run stays open; /close ends it.')
    else {
      screen.say('Cancelling. Ctrl-C again leaves, and the run stays open.')
      this.#send('_posthog/cancel', {})
    }
    this.#settle()
  }

  get #isIdle(): boolean {
    return this.#view.openTurns.length === 0 && this.#view.unacked.length === 0
  }

  /** Before everything is read only the newest turn is worth showing. */
  #catchUp(kept: SeenEvent[], events: readonly SeenEvent[]): SeenEvent[] {
    let newest = kept
    for (const event of events) {
      this.#fold(event)
      if (event.notification.method === '_posthog/user_message' && this.#view.openTurns.length === 0)
        newest = []
      newest.push(event)
    }
    return newest.slice(-mostKept)
  }

  #take(event: SeenEvent): void {
    this.#fold(event)
    this.#parts.screen.event(event)
  }

  #fold(event: SeenEvent): void {
    this.#view = runView(this.#view, event)
    const { messageId } = this.#parts
    const { notification } = event
    if (notification.method === '_posthog/ack') this.#presses = 0
    if (messageId === null) return
    this.#place = turnPlace(this.#place, notification, messageId)
    if (this.#place !== 'over' || this.#parts.lines) return
    if (this.#end || notification.method !== '_posthog/turn_complete') return
    const turn = TurnComplete.safeParse(notification.params).data
    if (turn?.messageId !== messageId) return
    const why = Failed.safeParse(notification.params).data?.error.message ?? null
    this.#end = { is: 'turn-over', stopReason: turn.stopReason, why }
  }

  /** Everything that is known is shown: what is left to do, or to wait for? */
  #settle(): void {
    const { screen, lines, messageId } = this.#parts
    const questions = pendingQuestions(this.#view)
    for (const question of questions) {
      if (this.#shown.has(question.questionId)) continue
      this.#shown.add(question.questionId)
      screen.question(question)
    }
    if (this.#place === 'withdrawn' && !lines) this.#end = { is: 'left' }
    if (lines && (this.#isIdle || questions.length > 0)) screen.prompt()
    else if (!lines && messageId === null && this.#isIdle) this.#end = { is: 'left' }
  }

  async #readLines(): Promise<void> {
    const { lines, screen } = this.#parts
    if (!lines) return
    try {
      for await (const line of lines(this.#signal)) {
        screen.typed()
        await this.#typed(line.trim())
        if (this.#isLive && !this.#over.signal.aborted) this.#settle()
      }
      this.#leave()
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(error)
    }
  }

  async #typed(line: string): Promise<void> {
    const { hub, at, screen } = this.#parts
    this.#presses = 0
    const [word = '', ...rest] = line.split(/\s+/)
    const [open] = pendingQuestions(this.#view)
    if (line === '') return
    if (word === '/detach') return this.#leave()
    if (word === '/cancel') return await this.#send('_posthog/cancel', {})
    if (word === '/close') return await closeRun(hub, at, { signal: this.#signal })
    if (word === '/mode') return await this.#mode(rest.join(' '))
    if (open) return await this.#answer(open, line)
    const isNext = !this.#isIdle
    screen.saying(line)
    await this.#send('_posthog/user_message', { content: line })
    if (isNext) screen.say('It comes next, when this turn is over. /cancel ends it now.')
  }

  async #mode(name: string): Promise<void> {
    if (name === '')
      return this.#parts.screen.say('Which mode? interactive, background, or one of the agent.')
    const isOfRun = RunMode.safeParse(name).success
    if (isOfRun) await this.#send('_posthog/mode_change', { mode: name })
    else await this.#send('session/set_mode', { modeId: name })
  }

  async #answer(question: OpenQuestion, line: string): Promise<void> {
    const typed = answerTyped(question, line)
    if (!typed) return this.#parts.screen.say(answersInWords(question))
    await this.#send('_posthog/user_response', { questionId: question.questionId, ...typed })
  }

  async #send(method: string, params: Record<string, unknown>): Promise<void> {
    try {
      await this.#post(method, params)
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(error)
    }
  }

  #post(method: string, params: Record<string, unknown>) {
    const { hub, at } = this.#parts
    return post(hub, at, { jsonrpc: '2.0', method, params }, { signal: this.#signal })
  }

  #leave(): void {
    this.#end ??= { is: 'left' }
    this.#over.abort()
  }

  #fail(error: unknown): void {
    this.#trouble ??= error
    this.#over.abort()
  }
}
