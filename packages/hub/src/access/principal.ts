import type { Author } from '@farhand/protocol/wire/event'
import type { RunId, SessionId, UserId } from '@farhand/protocol/wire/ids'

/** The authenticated caller of a request. */
export type Principal =
  | {
      kind: 'user'
      user: UserId
      name: string
      role: 'owner' | 'member'
      author: Author
      /** The session of their browser; null if they use a token. */
      session: SessionId | null
    }
  | { kind: 'runner'; run: RunId; generation: number; author: Author }
