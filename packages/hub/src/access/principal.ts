import type { Author } from '@farhand/protocol/wire/event'
import type { DeviceId, RunId, SessionId, UserId } from '@farhand/protocol/wire/ids'

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
      /** The bound device whose token it is, or from which the session was begun. */
      device: DeviceId | null
      /** The row of their token. */
      tokenId: string
    }
  | { kind: 'runner'; run: RunId; generation: number; author: Author }
  /** Has the link of a shared run, and is no user. The author is never written into a log. */
  | { kind: 'guest'; run: RunId; link: string; expiresAt: string; author: Author }
