import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** A program is not given more than this of the past. */
const mostKept = 5_000

/** The events that a program gets of the past: those since it last looked, or of the newest turn if it never has. */
export function recentEvents(lookedAt: number | null) {
  let kept: SeenEvent[] = []
  let hasMessage = false
  return {
    take(event: SeenEvent, isIdle: boolean): void {
      const isMessage = isEvent(event.notification, 'user_message')
      if (isMessage && hasMessage && isIdle)
        kept = lookedAt === null ? [] : kept.filter(({ id }) => id > lookedAt)
      hasMessage ||= isMessage
      kept.push(event)
      if (kept.length > 2 * mostKept) kept = kept.slice(-mostKept)
    },
    kept: () => kept.slice(-mostKept),
  }
}
