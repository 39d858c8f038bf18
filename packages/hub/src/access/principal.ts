import type { Author } from '@farhand/protocol/event'
import type { RunId, UserId } from '@farhand/protocol/ids'

/** Who is asking. */
export type Principal =
  | { kind: 'user'; user: UserId; name: string; role: 'owner' | 'member'; author: Author }
  | { kind: 'runner'; run: RunId; generation: number; author: Author }
