import type { Notification } from '@farhand/protocol/wire/event'

/**
 * What a runner has said, in order, until the hub has it. It outlives the process, so that what an agent did is told
 * even if hub and runner were gone when it happened.
 */
export interface Journal {
  /** The number of what was said: dense, from 0 in each generation. Kept before it returns if the disk has room. */
  append(event: Notification): number
  /** What comes from this number on, as many as there are up to these bounds. */
  read(from: number, most: { events: number; bytes: number }): Notification[]
  /** Everything before this number is in the log and need not be kept. */
  forget(before: number): void
  /** How many bytes wait to be sent. */
  readonly bytes: number
  readonly next: number
  close(): void
}
