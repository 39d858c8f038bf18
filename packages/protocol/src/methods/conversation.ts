import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { EventId } from '../wire/ids.ts'

export const Attachment = z.looseObject({
  hash: BlobHash,
  name: z.string().min(1).max(255),
  mimeType: z.string().max(255).optional(),
  size: z.number().int().nonnegative().optional(),
})
export type Attachment = z.infer<typeof Attachment>

/** `when: steer` passes the message into the open turn; `queue`, the default, waits for a turn of its own. */
export const UserMessage = z
  .looseObject({
    content: z.string(),
    attachments: z.array(Attachment).max(100).optional(),
    when: z.enum(['queue', 'steer']).optional(),
  })
  .refine((message) => message.content.trim() !== '' || message.attachments?.length, {
    path: ['content'],
    message: 'expected text or attachments',
  })
export type UserMessage = z.infer<typeof UserMessage>

/** New text for a message whose turn has not begun; `content: null` withdraws it. */
export const MessageEdit = z.looseObject({ messageId: EventId, content: z.string().min(1).nullable() })
export type MessageEdit = z.infer<typeof MessageEdit>

/**
 * The runner has begun to work on the message that is event `id` (W29): in a turn of its own, or `into` the open turn of
 * that other message.
 */
export const Ack = z.looseObject({ for: z.string(), id: EventId, into: EventId.optional() })
export type Ack = z.infer<typeof Ack>

/** An ack as runners may send it: those of seed 001 send no id. The hub adds it where only one message can be meant (W63). */
export const SentAck = Ack.partial({ id: true })
export type SentAck = z.infer<typeof SentAck>

/** Stop reasons are those of ACP, and `interrupted` (W29). With `into`, it ends with the turn that it had joined. */
export const TurnComplete = z.looseObject({
  messageId: EventId,
  stopReason: z.string().min(1),
  into: EventId.optional(),
  usage: z.looseObject({}).optional(),
})
export type TurnComplete = z.infer<typeof TurnComplete>

/** Cancels only turns that were acked before it: queued messages stay. */
export const Cancel = z.looseObject({})
export type Cancel = z.infer<typeof Cancel>
