import type { Attachment } from '@farhand/protocol/methods/conversation'

/** Text to put into the field for the user to change; a new object for each request. */
export type Refill = { text: string; attachments: readonly Attachment[] }
