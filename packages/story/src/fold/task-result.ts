import type { TaskState } from '@farhand/protocol/delegated/task-state'
import { shortened } from '@farhand/protocol/text/plain-text'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { shownText } from '../items/cut-text.ts'
import type { Item } from '../items/story.ts'
import { asText } from '../values/untyped-values.ts'
import { turnEndInWords } from '../wording/turn-end-in-words.ts'

/** A longer result is in the log, and in the words of the agent that went before. */
const mostResult = 8000

/** What came of a task that this event has ended: the last words of the agent, or why it failed. */
export function taskResult(
  items: readonly Item[],
  { status }: TaskState,
  { notification }: SeenEvent,
): string | null {
  const words = items.findLast((item) => item.kind === 'words')
  const said = words?.kind === 'words' ? shortened(shownText(words).trim(), mostResult) : null
  if (status !== 'failed') return said
  const end = items.findLast((item) => item.kind === 'turn-end')
  const why = end?.kind === 'turn-end' ? (end.error ?? turnEndInWords(end).words) : null
  return shortened(asText(notification.params?.reason) ?? why ?? said ?? 'It failed.', mostResult)
}
