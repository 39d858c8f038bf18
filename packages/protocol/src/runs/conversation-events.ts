import type { SeenEvent } from '../wire/seen-event.ts'
import { foldRunView } from './fold-run-view.ts'
import { rewindsTo } from './rewinds-to.ts'
import { emptyRunView } from './run-view.ts'

/** Events one after the other, both ends included. */
type Stretch = { from: number; to: number }

/** Since event `at` the conversation consists of its events up to `to` and those after `at`. */
type Rewound = {
  at: number
  to: number
  /** Later events of turns that were under way at the rewind: they are not part of the conversation. */
  late: Stretch[]
}

/**
 * Which events of a log are part of its conversation (W39): a fold of the whole log.
 *
 * A rewind to an event that another rewind took away brings back the conversation as it was at that event. So every
 * rewind can be undone by a rewind to the event before it.
 */
export class ConversationEvents {
  readonly #rewinds: Rewound[] = []
  #view = emptyRunView
  #cursor = 0
  /** Messages whose turns were under way at the last rewind and are not over. */
  #ending = new Set<number>()

  /** Takes the next event of the log. A caller that already has the view after this event passes it, which saves a second fold. */
  take(event: SeenEvent, view = foldRunView(this.#view, event)): void {
    const isLate = this.#ending.size > 0 && event.by.kind === 'runner'
    this.#view = view
    this.#cursor = event.id
    if (isLate) extend(this.#rewinds.at(-1)!.late, event.id)
    const to = rewindsTo(event)
    if (to !== null) this.#rewinds.push({ at: event.id, to, late: [] })
    if (to === null && this.#ending.size === 0) return
    const open = this.#view.openTurns.map(({ messageId }) => messageId)
    if (to !== null) this.#ending = new Set(open)
    else for (const id of this.#ending) if (!open.includes(id)) this.#ending.delete(id)
  }

  /** The newest rewind, or 0 if there is none and the conversation is the whole log. */
  get rewoundAt(): number {
    return this.#rewinds.at(-1)?.at ?? 0
  }

  /** Whether this event is part of the conversation, as it stands now or as it stood after the event `asOf`. */
  has(id: number, asOf = this.#cursor): boolean {
    let end = asOf
    for (let nth = this.#rewinds.length - 1; nth >= 0; nth -= 1) {
      const { at, to, late } = this.#rewinds[nth]!
      if (at > end) continue
      if (id > at) return id <= end && !late.some((stretch) => stretch.from <= id && id <= stretch.to)
      end = to
    }
    return id <= end
  }
}

function extend(stretches: Stretch[], id: number): void {
  const last = stretches.at(-1)
  if (last?.to === id - 1) last.to = id
  else stretches.push({ from: id, to: id })
}
