import { eventName } from '@farhand/protocol/events/event-names'
import { UserMessage } from '@farhand/protocol/methods/conversation'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { firstLine } from '../printing/shown-text.ts'
import type { RunScreen } from '../run-screen/run-screen.ts'

/** More than this nobody scrolls back through. */
const mostKept = 5_000

const chunk = 'agent_message_chunk'

/**
 * What somebody is shown who comes to a run: all that is new since they looked last, or the newest turn if they never have. What
 * was said before the first message belongs to that.
 */
export class CatchUp {
  readonly #lookedAt: number | null
  #kept: SeenEvent[] = []
  /** Whether some of what has to be shown was too much. */
  #isCut = false
  #hasMessage = false
  #last = 0
  #message: string | null = null
  /** What the agent said last of what was seen. */
  #words = ''
  #isInWords = false

  /** `lookedAt` is the last event that they have seen. */
  constructor(lookedAt: number | null) {
    this.#lookedAt = lookedAt
  }

  /** Takes the next event of the log; `isIdle` if with it no turn is under way. */
  take(event: SeenEvent, isIdle: boolean): void {
    const { method } = event.notification
    const isMessage = eventName(method) === 'user_message'
    this.#last = event.id
    const upTo = this.#lookedAt
    if (isMessage && this.#hasMessage && isIdle) {
      this.#kept = upTo === null ? [] : this.#kept.filter(({ id }) => id > upTo)
      this.#isCut &&= upTo !== null
    }
    this.#hasMessage ||= isMessage
    if (upTo !== null && event.id <= upTo) this.#remember(event, isMessage)
    this.#kept.push(event)
    if (this.#kept.length > 2 * mostKept) this.#cut()
  }

  /** What has to be shown, and of what was seen that which it goes on from; both in the order of the log. */
  get events(): { seen: SeenEvent[]; unseen: SeenEvent[] } {
    this.#cut()
    const kept = this.#kept
    let from = kept.findIndex((one) => !this.#isSeen(one))
    if (from === -1) return { seen: kept, unseen: [] }
    // Of what the agent was saying when they left nobody knows the beginning.
    if (kept[from]?.notification.method === chunk)
      while (kept[from - 1]?.notification.method === chunk) from -= 1
    return { seen: kept.slice(0, from), unseen: kept.slice(from) }
  }

  /** Where they were: what was said last, and how it was answered. Nothing of that for those who have never looked. */
  get reminder(): string[] {
    const [next] = this.events.unseen
    const cut = this.#isCut ? ['… Too much has happened to show all of it: this is the end.'] : []
    if (this.#seenUpTo === 0) return cut
    const isWhole = next === undefined || !this.#isSeen(next)
    return [
      ...(this.#message === null ? [] : [`… > ${shortened(this.#message)}`]),
      ...(isWhole && !this.#isCut && this.#words.trim() !== '' ? [`… ${shortened(this.#words)}`] : []),
      ...cut,
    ]
  }

  #cut(): void {
    const gone = this.#kept.slice(0, -mostKept)
    this.#isCut ||= gone.some(({ id }) => id > (this.#lookedAt ?? 0))
    this.#kept = this.#kept.slice(-mostKept)
  }

  /** A hub whose data is of a backup has not got as far as they have looked: then that says nothing. */
  get #seenUpTo(): number {
    return this.#lookedAt !== null && this.#lookedAt <= this.#last ? this.#lookedAt : 0
  }

  #isSeen({ id }: SeenEvent): boolean {
    return id <= this.#seenUpTo
  }

  #remember({ notification: { method, params = {} } }: SeenEvent, isMessage: boolean): void {
    if (isMessage) {
      this.#message = UserMessage.safeParse(params).data?.content ?? this.#message
      this.#words = ''
    }
    if (method === chunk) this.#words = (this.#isInWords ? this.#words : '') + String(params.text ?? '')
    this.#isInWords = method === chunk
  }
}

/** With a sign that there was more. */
function shortened(text: string): string {
  const line = firstLine(text)
  return line.endsWith('…') || !text.trim().includes('\n') ? line : `${line} …`
}

/** Shows it: of what was seen before only a reminder. */
export function showCatchUp(catchUp: CatchUp, screen: RunScreen): void {
  const { seen, unseen } = catchUp.events
  for (const event of seen) screen.passed(event)
  for (const line of catchUp.reminder) screen.recalls(line)
  for (const event of unseen) screen.event(event)
}
