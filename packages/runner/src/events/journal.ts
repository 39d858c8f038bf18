import type { Notification } from '@farhand/protocol/wire/event'

/**
 * The events that a runner has written and the hub does not have yet, in order. It survives the process, so that
 * nothing the agent did is lost while the hub is away.
 */
export interface Journal {
  /**
   * Returns the number of the entry: consecutive, from 0 in each generation. On disk when this returns, if the disk
   * has room.
   */
  append(event: Notification): number
  /** The entries from this number on, within these bounds. */
  read(from: number, most: { events: number; bytes: number }): Notification[]
  /** Everything before this number is in the log and may be deleted. */
  forget(before: number): void
  /** How many bytes wait to be sent. */
  readonly bytes: number
  readonly next: number
  close(): void
}
