import type { Attachment } from '@farhand/protocol/methods/conversation'

/** What is put into the field for its writer to change; another object each time it is asked for. */
export type Refill = { text: string; attachments: readonly Attachment[] }
