import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { wordsSaid } from './script.ts'

/** What one ack brought: everything up to the next ack of the same message or the end of its turn. */
type Attempt = {
  ackId: number
  text: string
  asked: Asked[]
  /** The turn that it joined: what it brought is told there. */
  into: Told | null
  /** Those that joined it. */
  joined: Set<Told>
}
type Asked = {
  id: string
  /** A limit is asked about by the runner itself, before a turn or in it. */
  about: 'choice' | 'permission' | 'limit'
  answer: string | null
  how: string | null
}

export type Told = {
  id: number
  content: string
  /** It was withdrawn before its turn began. */
  isWithdrawn: boolean
  attempts: Attempt[]
  stopReason: string | null
  /** The turn that it ended with, if that was the turn of another message. */
  endedInto: number | null
}

export type Judged = { messages: Told[]; wrongs: string[] }

type Params = Record<string, unknown>

/** What is wrong with the whole log of a run in which turns were cut short again and again (W29, W30). */
export function judgeTurns(events: readonly SeenEvent[]): Judged {
  const judge = new Judge()
  for (const event of events) judge.take(event)
  return { messages: [...judge.messages.values()], wrongs: [...judge.wrongs, ...judge.atTheEnd()] }
}

class Judge {
  readonly messages = new Map<number, Told>()
  readonly wrongs: string[] = []
  readonly #questions = new Map<string, Asked>()
  readonly #tools = new Map<string, number>()
  #generation = 0
  #lastId = 0
  /** Since when the run is paused; null if it is not. */
  #pausedAt: number | null = null
  #turn: Told | null = null

  take(event: SeenEvent): void {
    const { id, by, notification } = event
    const { method, params = {} } = notification
    if (id !== this.#lastId + 1) this.#wrong(id, `follows ${this.#lastId}`)
    this.#lastId = id
    if (by.kind === 'runner' && by.generation !== this.#generation)
      this.#wrong(id, `is of generation ${by.generation}, and ${this.#generation} has begun (W8)`)
    this.#step(id, method, params)
  }

  #step(id: number, method: string, params: Params): void {
    switch (method) {
      case '_posthog/session_start':
        this.#generation = Number(params.generation)
        break
      case '_posthog/user_message': {
        const content = String(params.content)
        this.messages.set(id, {
          id,
          content,
          isWithdrawn: false,
          attempts: [],
          stopReason: null,
          endedInto: null,
        })
        break
      }
      case '_posthog/message_edit':
        this.#edit(params)
        break
      case '_posthog/pause':
        this.#pausedAt ??= id
        break
      case '_posthog/resume':
      case '_posthog/session_close':
        this.#pausedAt = null
        break
      case '_posthog/ack':
        this.#ack(id, Number(params.id), params.into === undefined ? null : Number(params.into))
        break
      case '_posthog/turn_complete':
        if (params.into === undefined) this.#complete(id, params)
        else this.#completeWith(id, params)
        break
      case '_posthog/agent_question':
        this.#ask(id, params)
        break
      case '_posthog/user_response': {
        const asked = this.#questions.get(String(params.questionId))
        if (asked && asked.how === null) asked.answer ??= String(params.answer)
        break
      }
      case '_posthog/question_closed':
        this.#closeQuestion(id, params)
        break
      case 'agent_message_chunk':
        this.#say(id, String(params.text))
        break
      case 'tool_call':
      case 'tool_result':
        this.#tool(id, method, params)
    }
  }

  #edit({ messageId, content }: Params): void {
    const message = this.messages.get(Number(messageId))
    if (!message || message.attempts.length > 0 || message.isWithdrawn) return
    if (content === null) message.isWithdrawn = true
    else message.content = String(content)
  }

  #ack(id: number, messageId: number, into: number | null): void {
    const message = this.messages.get(messageId)
    // One that crossed a withdrawal on its way is there; nothing may come of it.
    if (!message || message.isWithdrawn) return
    if (message.stopReason !== null) this.#wrong(id, `takes on ${messageId}, which is over (W29)`)
    if (this.#pausedAt !== null && messageId > this.#pausedAt)
      this.#wrong(id, `takes on ${messageId}, which came while the run was paused`)
    if (message.attempts.length === 2) this.#wrong(id, `takes on ${messageId} for the third time (W29)`)
    if (into === null) this.#begin(id, message)
    else this.#join(id, message, into)
  }

  #begin(id: number, message: Told): void {
    if (this.#turn && this.#turn !== message)
      this.#wrong(id, `takes on ${message.id} while ${this.#turn.id} is under way`)
    this.#everythingEnded(id)
    message.attempts.push({ ackId: id, text: '', asked: [], into: null, joined: new Set() })
    this.#turn = message
  }

  #join(id: number, message: Told, into: number): void {
    if (this.#turn?.id !== into) this.#wrong(id, `joins ${into}, which is not under way (W29)`)
    message.attempts.push({ ackId: id, text: '', asked: [], into: this.#turn, joined: new Set() })
    this.#turn?.attempts.at(-1)?.joined.add(message)
  }

  #complete(id: number, { messageId, stopReason }: Params): void {
    const message = this.messages.get(Number(messageId))
    const joined = message?.attempts.at(-1)?.into
    const isLeft =
      joined?.stopReason &&
      message?.stopReason === null &&
      ['cancelled', 'interrupted'].includes(String(stopReason))
    // One that had joined a turn and did not end with it is ended by itself, if it is not begun again.
    if (message !== this.#turn && !isLeft) this.#wrong(id, `ends ${messageId}, which is not under way (W29)`)
    this.#everythingEnded(id)
    if (!message) return
    message.stopReason = String(stopReason)
    if (message === this.#turn) this.#turn = null
  }

  #completeWith(id: number, { messageId, stopReason, into }: Params): void {
    const message = this.messages.get(Number(messageId))
    const turn = message?.attempts.at(-1)?.into
    if (turn?.id !== into || turn?.stopReason !== stopReason || message?.stopReason !== null)
      this.#wrong(id, `ends ${messageId} with ${into}, which did not end so (W29)`)
    if (!message) return
    message.stopReason = String(stopReason)
    message.endedInto = Number(into)
  }

  #everythingEnded(id: number): void {
    for (const tool of this.#tools.keys()) this.#wrong(id, `comes while ${tool} is at work (W29)`)
    this.#tools.clear()
    for (const asked of this.#turn?.attempts.at(-1)?.asked ?? [])
      if (asked.how === null) this.#wrong(id, `comes while ${asked.id} is open (W30)`)
  }

  #ask(id: number, params: Params): void {
    const questionId = String(params.questionId)
    const about = params.limits ? 'limit' : params.toolCallId === undefined ? 'choice' : 'permission'
    const asked: Asked = { id: questionId, about, answer: null, how: null }
    if (this.#questions.has(questionId)) this.#wrong(id, `asks ${questionId} again (W30)`)
    this.#questions.set(questionId, asked)
    if (this.#turn) this.#turn.attempts.at(-1)!.asked.push(asked)
    else if (about !== 'limit') this.#wrong(id, 'asks while no turn is under way')
  }

  #closeQuestion(id: number, { questionId, how }: Params): void {
    const asked = this.#questions.get(String(questionId))
    if (asked?.how !== null) this.#wrong(id, `ends ${questionId}, which is not open (W30)`)
    if (!asked) return
    asked.how = String(how)
    if (how === 'answered' && asked.answer === null)
      this.#wrong(id, 'is closed as answered, without an answer')
  }

  #say(id: number, text: string): void {
    if (this.#turn) this.#turn.attempts.at(-1)!.text += text
    else this.#wrong(id, `says "${text}" while no turn is under way`)
  }

  #tool(id: number, method: string, { toolCallId, status }: Params): void {
    const isOver = method === 'tool_result' || ['completed', 'failed'].includes(String(status))
    if (isOver) this.#tools.delete(String(toolCallId))
    else this.#tools.set(String(toolCallId), id)
  }

  #wrong(id: number, what: string): void {
    this.wrongs.push(`event ${id} ${what}`)
  }

  atTheEnd(): string[] {
    const open = [...this.#questions.values()].filter(({ how }) => how === null)
    return [
      ...open.map(({ id }) => `${id} never ended (W30)`),
      ...[...this.#tools.keys()].map((tool) => `${tool} never ended (W29)`),
      ...[...this.messages.values()].flatMap(wrongsOf),
    ]
  }
}

function wrongsOf({ id, content, isWithdrawn, attempts, stopReason }: Told): string[] {
  if (isWithdrawn) return []
  if (stopReason === null) return [`message ${id} has no end (W29)`]
  return attempts.flatMap((attempt, nth) => {
    if (attempt.into) return []
    const isDone = stopReason === 'end_turn' && nth === attempts.length - 1
    const text = attempt.text.replaceAll(quoted, '')
    const said = text.replaceAll(chunk, '').split('\n\n')
    return [
      ...wrongWords(said, wordsOf(id, content, attempt.joined), isDone),
      ...wrongChunks(text, isDone),
      ...wrongAnswers(said, attempt.asked, isDone),
      ...wrongPermissions(said, attempt.asked, isDone),
    ].map((wrong) => `message ${id}, attempt ${nth + 1}: ${wrong}`)
  })
}

type Wanted = ReadonlyMap<string, 'surely' | 'perhaps'>

/** What was said into a turn was heard in it for certain only if it ended with it. */
function wordsOf(id: number, content: string, joined: ReadonlySet<Told>): Wanted {
  const own = wordsSaid(content).map((word) => [word, 'surely'] as const)
  const others = [...joined].flatMap((one) =>
    wordsSaid(one.content).map((word) => [word, one.endedInto === id ? 'surely' : 'perhaps'] as const),
  )
  return new Map([...own, ...others])
}

function wrongWords(said: readonly string[], wanted: Wanted, isDone: boolean): string[] {
  const wrongs = [...wanted].flatMap(([word, how]) => {
    const times = said.filter((one) => one === word).length
    return times > 1 || (isDone && how === 'surely' && times === 0) ? [`${word} was said ${times} times`] : []
  })
  const others = said.filter((one) => /^w\d+w$/.test(one) && !wanted.has(one))
  return [...wrongs, ...others.map((one) => `${one} is of another message`)]
}

/** What an agent is told of the time before, or of a limit, is no order of this message: it says so, and does nothing. */
const quoted =
  /I do not understand ".*?"\. `help` lists what I do\.|I (?:was interrupted|may go on), [^.]*\.|I have read what happened before\./g
const chunk = /chunk (\d+) of 30 \.+/g

function wrongChunks(text: string, isDone: boolean): string[] {
  const numbers = [...text.matchAll(chunk)].map(([, number]) => Number(number))
  const wrongs = numbers.flatMap((number, at) => {
    const before = numbers[at - 1] ?? 0
    return number === (before % 30) + 1 ? [] : [`chunk ${number} follows ${before}`]
  })
  return isDone && numbers.length % 30 !== 0 ? [...wrongs, 'chunks are missing'] : wrongs
}

/** An answer reaches the attempt in which it was asked, or none. */
function wrongAnswers(said: readonly string[], asked: readonly Asked[], isDone: boolean): string[] {
  const heard = said.flatMap((one) => /^You answered: (.*)/.exec(one)?.[1] ?? [])
  const choices = asked.filter(({ about, how }) => about === 'choice' && how === 'answered')
  const given = choices.map(({ answer }) => answer)
  const due = isDone ? given : given.slice(0, heard.length)
  return heard.join() === due.join() ? [] : [`${given.join()} was answered, and ${heard.join()} heard`]
}

function wrongPermissions(said: readonly string[], asked: readonly Asked[], isDone: boolean): string[] {
  const closed = asked.filter(({ about, how }) => about === 'permission' && how === 'answered')
  const allowed = closed.filter(({ answer }) => answer === 'allow-once').length
  const done = said.filter((one) => /^I wrote w\d+w\.txt/.test(one)).length
  const refused = said.filter((one) => one.endsWith('permission was not given.')).length
  const isMissing = isDone && (done < allowed || refused < closed.length - allowed)
  if (done <= allowed && !isMissing) return []
  return [`${allowed} of ${closed.length} were allowed, ${done} done and ${refused} refused`]
}
