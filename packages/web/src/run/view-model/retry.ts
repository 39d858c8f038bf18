import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { Item, MessageItem, Story } from '@farhand/story/items/story'
import type { UnsentAction } from '../../outbox/actions.ts'

/**
 * The item with a retry button: a failed turn that nothing came after, or the failure of the run. Null if there is neither.
 */
export function retryableItem(
  { items, queue, view }: Pick<Story, 'items' | 'queue' | 'view'>,
  unsent: readonly UnsentAction[],
): number | null {
  const isOver = view.status === 'closed' || view.closing
  const isSaid = unsent.some(({ action }) => ['say', 'steer', 'open'].includes(action.do))
  if (view.status === 'failed' && !isSaid) {
    const failed = items.findLast((item) => item.kind === 'mark' && item.mark.is === 'status')
    return failed?.id ?? null
  }
  if (isOver || isSaid || queue.length > 0 || view.openTurns.length > 0) return null
  const last = items.findLast(({ kind }) => kind === 'message' || kind === 'turn-end')
  return last?.kind === 'turn-end' && isBadEnd(last.stopReason) ? last.id : null
}

/** The text and attachments of a message, to send it again. */
export function messageOf(
  items: readonly Item[],
  messageId: number,
): Pick<MessageItem, 'text' | 'attachments'> | null {
  const message = items.find((item) => item.kind === 'message' && item.id === messageId)
  return message?.kind === 'message' ? { text: message.text, attachments: message.attachments } : null
}

/** The last message that was not withdrawn. */
export function lastMessage(items: readonly Item[]): Pick<MessageItem, 'text' | 'attachments'> | null {
  const last = items.findLast((item) => item.kind === 'message' && item.state !== 'withdrawn')
  return last?.kind === 'message' ? { text: last.text, attachments: last.attachments } : null
}
