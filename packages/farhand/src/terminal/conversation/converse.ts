import { type FollowState, followPortions } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { closeRun } from '@farhand/client/resources/resources'
import { Presence } from '@farhand/device/presence/presence'
import type { Trouble } from '@farhand/device/trouble/trouble'
import { event, isEvent } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import { RunMode } from '@farhand/protocol/schemas/api'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { CommandContext } from '../../context/command-context.ts'
import { findMode, modesInWords } from '../agent-controls/agent-offers.ts'
import {
  type OptionArgument,
  parseModelArgument,
  parseOptionArgument,
} from '../agent-controls/agent-options.ts'
import { slashHelp } from '../agent-controls/slash-commands.ts'
import { answerInWords } from '../questions/question-in-words.ts'
import type { RunScreen, Typed } from '../run-screen/run-screen.ts'
import { GuessedLines } from './guessed-lines.ts'
import { HubAway } from './hub-away.ts'
import { ReadRun } from './read-run.ts'
import { type Meaning, typedMeaning } from './typed-meaning.ts'

export type ConverseParts = {
  hub: Hub
  at: RunAddress
  screen: RunScreen
  /** The message whose turn is waited for; null if the command only watches. */
  messageId: number | null
  /** Resolves to the Trouble that ended the runner; null if another process has started it. */
  runnerEnded: Promise<Trouble | null> | null
  /** The lines that the user types; null if the user cannot type: then the conversation ends with the turn. */
  lines: CommandContext['lines']
}

/** Why the conversation has ended: the turn is over, the run is closed, or the user has left. */
export type ConverseEnd =
  | { is: 'turn-over'; stopReason: string; why: string | null }
  | { is: 'closed' | 'left' | 'stopped' | 'run-failed' }

/** With `isGuess` the question is a guess: a user who types whole lines may have seen another one. */
type TypedLine = Typed & { isGuess?: boolean }
type AnswerMeant = Extract<Meaning, { is: 'answer' }>

/** How long a change of the agent's settings may stay unconfirmed before the user is told. */
const confirmMs = 3_000

/** Shows what happens in a run and sends what the user types, until the turn or the run is over, or the user leaves. */
export async function converse(parts: ConverseParts, context: CommandContext): Promise<ConverseEnd> {
  const { hub, at, screen, lines } = parts
  // Without typed lines a program may be watching: then the user is not counted as looking at the run.
  const presence = lines ? new Presence(hub, at.run) : null
  const talk = new Talk(parts, context, presence)
  const interrupted = () => (screen.interrupted ? screen.interrupted() : talk.interrupted())
  const undo = lines ? context.onInterrupt(interrupted) : () => {}
  try {
    return await talk.run()
  } finally {
    undo()
    screen.close()
    await presence?.end()
  }
}

class Talk {
  readonly #parts: ConverseParts
  readonly #context: CommandContext
  readonly #presence: Presence | null
  readonly #run: ReadRun
  readonly #over = new AbortController()
  readonly #signal: AbortSignal
  readonly #shown = new Set<string>()
  readonly #guessed: GuessedLines
  /** Typed lines that have not had their effect yet: until then nothing more is asked. */
  #linesUnderWay = 0
  #isHelpHinted = false
  #isLive = false
  readonly #hub: HubAway
  #presses = 0
  #end: ConverseEnd | null = null
  #trouble: unknown = null

  constructor(parts: ConverseParts, context: CommandContext, presence: Presence | null) {
    this.#parts = parts
    this.#context = context
    this.#presence = presence
    this.#run = new ReadRun(parts.messageId)
    this.#hub = new HubAway(parts.screen)
    this.#guessed = new GuessedLines(context.isTyping)
    // A turn that this command has asked for is followed to its end even if its output is not read: the exit code tells the result.
    const unread = parts.lines || parts.messageId !== null ? [] : [context.unread]
    this.#signal = AbortSignal.any([context.stop, this.#over.signal, ...unread])
  }

  async run(): Promise<ConverseEnd> {
    const { hub, at, runnerEnded, screen } = this.#parts
    runnerEnded?.then((trouble) => trouble && this.#fail(trouble))
    void this.#readLines()
    screen.status('getting ready')
    try {
      const onState = (state: FollowState) => {
        this.#hub.reach(state)
        if (state.is === 'live') this.#presence?.look()
      }
      for await (const { events, live } of followPortions(hub, at, { signal: this.#signal, onState })) {
        this.#hub.isThere(this.#run.isIdle)
        for (const event of events) {
          this.#fold(event)
          if (!this.#isLive) screen.past(event, this.#run.view.openTurns.length === 0)
        }
        if (this.#isLive && events.length > 0) screen.events(events)
        // What is worth showing is only known when all old events have been read.
        if (live && !this.#isLive) {
          this.#isLive = true
          screen.present()
        }
        if (this.#isLive && !this.#end) this.#settle()
        if (this.#isLive && this.#end) return this.#end
      }
      if (!this.#isLive) screen.present()
      return this.#end ?? { is: 'closed' }
    } catch (error) {
      if (this.#trouble) throw this.#trouble
      if (this.#end) return this.#end
      if (this.#context.stop.aborted) return { is: 'stopped' }
      if (this.#signal.aborted) return { is: 'left' }
      throw error
    } finally {
      this.#over.abort()
    }
  }

  /** Ctrl-C: the first cancels the turn, the second leaves. */
  interrupted(): void {
    this.#presses += 1
    const { screen } = this.#parts
    if (this.#presses > 1) this.#leave()
    else if (this.#run.isIdle) screen.say('Ctrl-C again leaves, and the run stays open; /close ends it.')
    else {
      screen.say('Cancelling. Ctrl-C again leaves, and the run stays open.')
      this.#send('cancel', {})
    }
    this.#settle()
  }

  #fold(event: SeenEvent): void {
    this.#run.take(event)
    if (isEvent(event.notification, 'ack')) this.#presses = 0
    const { turnEnd } = this.#run
    if (turnEnd && !this.#parts.lines) this.#end ??= { is: 'turn-over', ...turnEnd }
  }

  /** All known events are shown: asks the next question, asks for a message, or ends the conversation. */
  #settle(): void {
    const { screen, lines, messageId } = this.#parts
    // A line on its way must not count as the answer to a question that is shown after it.
    if (this.#linesUnderWay > 0) return
    const questions = pendingQuestions(this.#run.view)
    screen.turn(!this.#run.isIdle)
    // One at a time, so that it is clear which question a line answers.
    for (const question of lines ? questions.slice(0, 1) : questions) {
      if (this.#shown.has(question.questionId)) continue
      this.#shown.add(question.questionId)
      screen.question(question)
    }
    screen.asks(questions[0] ?? null)
    if (this.#run.place === 'withdrawn' && !lines) this.#end = { is: 'left' }
    // A user who types may send another message, which is tried.
    if (this.#run.view.status === 'failed' && !lines && !this.#end) this.#end = { is: 'run-failed' }
    if (lines && (this.#run.isIdle || questions.length > 0)) {
      const first = questions[0] ?? null
      if (!screen.typedHere) this.#guessed.asks(first)
      if (!first && !this.#isHelpHinted) screen.say('Type a message, or /help.')
      this.#isHelpHinted ||= !first
      screen.prompt()
    } else if (!lines && messageId === null && this.#run.isIdle) this.#end = { is: 'left' }
  }

  async #readLines(): Promise<void> {
    const { lines, screen } = this.#parts
    if (!lines) return
    let doing = Promise.resolve()
    const act = async (typed: TypedLine) => {
      try {
        const told = await this.#typed(typed)
        this.#linesUnderWay -= 1
        if (told !== null) screen.say(told)
        if (this.#isLive && !this.#over.signal.aborted) this.#settle()
      } catch (error) {
        if (!this.#signal.aborted) this.#fail(error)
      }
    }
    try {
      const typedLines: AsyncIterable<TypedLine> =
        screen.typedHere?.(this.#signal) ?? this.#guessed.read(lines(this.#signal), () => screen.typed())
      let isLeaving = false
      for await (const typed of typedLines) {
        if (typed.line.trim() === '/detach') {
          // Lines typed before it are sent first, unless the hub does not answer, or the user types /detach again.
          if (isLeaving) break
          isLeaving = true
          void Promise.race([doing, this.#hub.whenAway()]).then(() => this.#leave())
          continue
        }
        this.#linesUnderWay += 1
        doing = doing.then(() => act(typed))
      }
      if (!isLeaving) await Promise.race([doing, this.#hub.whenAway()])
      this.#leave()
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(error)
    }
  }

  /** Does what a line asks for, and returns a message for the user, or null. */
  async #typed({ line, question, isGuess = false }: TypedLine): Promise<string | null> {
    this.#presses = 0
    this.#presence?.sign()
    const { hub, at } = this.#parts
    const open = pendingQuestions(this.#run.view)
    const meaning = typedMeaning(line, { question, isSure: !isGuess, open, offers: this.#run.offers })
    switch (meaning.is) {
      case 'nothing':
        return null
      case 'detach':
        this.#leave()
        return null
      case 'cancel':
        await this.#send('cancel', {})
        return null
      case 'close':
        await this.#hub.send(this.#signal, (options) => closeRun(hub, at, options))
        return null
      case 'help':
        return slashHelp(this.#run.offers)
      case 'mode':
        return await this.#mode(meaning.name)
      case 'model':
        return await this.#option(parseModelArgument(this.#run.offers.options, meaning.said))
      case 'set':
        return await this.#option(parseOptionArgument(this.#run.offers.options, meaning.said))
      case 'more':
        this.#parts.screen.expand()
        return null
      case 'steer':
        return await this.#steer(meaning.content)
      case 'message':
        return await this.#message(meaning.content)
      case 'answer':
        return await this.#answer(meaning, isGuess)
      case 'not used':
        // The open question is shown again, so that the next line can answer it.
        this.#shown.clear()
        return meaning.why
      default:
        return meaning.why
    }
  }

  async #message(content: string): Promise<string | null> {
    this.#parts.screen.saying(content)
    const messageId = await this.#send('user_message', { content, when: 'queue' })
    return messageId !== null && this.#run.isBehindOthers(messageId)
      ? 'It comes next, when this turn is over. /cancel ends that now; /steer <words> goes into it.'
      : null
  }

  async #steer(content: string): Promise<string | null> {
    if (content === '') return 'What should the agent be told? /steer, then the message.'
    this.#parts.screen.saying(content)
    await this.#send('user_message', { content, when: 'steer' })
    return null
  }

  async #mode(name: string): Promise<string | null> {
    const { mode, policy } = this.#run.view
    if (name === '') return modesInWords(this.#run.offers, { mode, policy })
    const runMode = RunMode.safeParse(name).data
    if (runMode) {
      if (mode === runMode) return `The run's mode is ${name} already.`
      await this.#send('mode_change', { mode: runMode })
      return null
    }
    const chosen = findMode(this.#run.offers, name)
    if (!chosen && this.#run.offers.modes.length > 0)
      return `There is no mode ${name}; nothing was changed.\n${modesInWords(this.#run.offers, { mode, policy })}`
    // The modes of an agent that has not started are not known yet.
    const modeId = chosen?.id ?? name
    if (this.#run.offers.mode === modeId) return `The agent's mode is ${chosen?.name ?? name} already.`
    const isSent = (await this.#send('session/set_mode', { modeId })) !== null
    return isSent ? await this.#confirmed(() => this.#run.offers.mode === modeId) : null
  }

  async #option(meant: OptionArgument): Promise<string | null> {
    if ('why' in meant) return meant.why
    const { option, choice } = meant
    const isInForce = () =>
      this.#run.offers.options.find(({ id }) => id === option.id)?.value === choice.value
    const params = { configId: option.id, value: choice.value }
    const isSent = (await this.#send('session/set_config_option', params)) !== null
    return isSent ? await this.#confirmed(isInForce) : null
  }

  /** The screen shows a change when the log confirms it. Returns a message if that takes too long. */
  async #confirmed(isInForce: () => boolean): Promise<string | null> {
    const sentAt = this.#run.lastEventId
    const isRefused = () => this.#run.errorAt > sentAt
    const enough = AbortSignal.timeout(confirmMs)
    await this.#run.until(() => isInForce() || isRefused(), AbortSignal.any([this.#signal, enough]))
    if (isInForce() || isRefused() || this.#signal.aborted) return null
    return 'The change is not in effect yet: the agent gets it as soon as it can.'
  }

  /** A user who took the default with an empty line is shown what it was. */
  async #answer({ question, answer, isDefault }: AnswerMeant, isGuess: boolean): Promise<string | null> {
    const { questionId } = question
    this.#parts.screen.answering(questionId, answer)
    await this.#send('user_response', { questionId, answer })
    return isDefault && isGuess ? `  ${answerInWords(question, answer)}` : null
  }

  /** The event's id, once it has been read back from the log; null if the conversation has ended first. */
  async #send<Name extends EventName>(name: Name, params: EventParams<Name>): Promise<number | null> {
    const { hub, at } = this.#parts
    try {
      const said = event(name, params)
      const { lastEventId } = await this.#hub.send(this.#signal, (options) => post(hub, at, said, options))
      // Until it is read back, an answered question still seems open, and a run with a new message seems idle.
      await this.#run.until(() => this.#run.lastEventId >= lastEventId, this.#signal)
      return lastEventId
    } catch (error) {
      if (!this.#signal.aborted) this.#fail(error)
      return null
    }
  }

  #leave(): void {
    this.#end ??= { is: 'left' }
    this.#hub.leave()
    this.#over.abort()
  }

  #fail(error: unknown): void {
    this.#trouble ??= error
    this.#over.abort()
  }
}
