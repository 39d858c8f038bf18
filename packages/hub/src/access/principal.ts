import type { Author } from '@farhand/protocol/wire/event'
import type { RunId, SessionId, UserId } from '@farhand/protocol/wire/ids'

/** Who is asking. */
export type Principal =
  | {
      kind: 'user'
      user: UserId
      name: string
      role: 'owner' | 'member'
      author: Author
      /** By which browser they speak; null if by a token. */
      session: SessionId | null
    }
  | { kind: 'runner'; run: RunId; generation: number; author: Author }
