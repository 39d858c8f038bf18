import { eventName } from '@farhand/protocol/events/event-names'
import { UserMessage } from '@farhand/protocol/methods/conversation'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { firstLine } from '../printing/shown-text.ts'
import type { RunScreen } from '../run-screen/run-screen.ts'

/** The user will not scroll back further than this. */
const mostKept = 5_000

const chunk = 'agent_message_chunk'

/**
 * Selects what to show when the user attaches to a run: everything since they last looked, or the newest turn if they
 * never have. What was said before the first message belongs to that turn.
 */
export class CatchUp {
  readonly #lookedAt: number | null
  #kept: SeenEvent[] = []
  /** Whether older unseen events were dropped because there were too many. */
  #isCut = false
  #hasMessage = false
  #last = 0
  #message: string | null = null
  /** The agent's last words among the events that the user has seen. */
  #words = ''
  #isInWords = false

  /** `lookedAt` is the id of the last event that the user has seen. */
  constructor(lookedAt: number | null) {
    this.#lookedAt = lookedAt
  }

  /** Takes the next event of the log; `isIdle`: no turn is under way at this event. */
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

  /** The unseen events, and before them the seen ones that they continue; both in the order of the log. */
  get events(): { seen: SeenEvent[]; unseen: SeenEvent[] } {
    this.#cut()
    const kept = this.#kept
    let from = kept.findIndex((one) => !this.#isSeen(one))
    if (from === -1) return { seen: kept, unseen: [] }
    // The user left in the middle of a message: show that message from its beginning.
    if (kept[from]?.notification.method === chunk)
      while (kept[from - 1]?.notification.method === chunk) from -= 1
    return { seen: kept.slice(0, from), unseen: kept.slice(from) }
  }

  /** The last message and answer that the user saw, as a reminder. Empty if they have never looked. */
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

  /** A hub that was restored from a backup may be behind `lookedAt`: then nothing counts as seen. */
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

/** The first line; an ellipsis says that there was more. */
function shortened(text: string): string {
  const line = firstLine(text)
  return line.endsWith('…') || !text.trim().includes('\n') ? line : `${line} …`
}

export function showCatchUp(catchUp: CatchUp, screen: RunScreen): void {
  const { seen, unseen } = catchUp.events
  for (const event of seen) screen.passed(event)
  for (const line of catchUp.reminder) screen.recalls(line)
  for (const event of unseen) screen.event(event)
}
