import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** Id and time of an event that a reader has handled: enough to notice when a log has another event in its place. */
export type Witness = Pick<SeenEvent, 'id' | 'timestamp'>

/** The log is not the one that was read before: a backup of it was restored, or another log took its place. */
export class OtherLog extends Error {
  constructor(why: string) {
    super(`this is not the log that was read before: ${why}`)
    this.name = 'OtherLog'
  }
}

/** Where to begin reading, so that the last handled event comes once more and can be compared. */
export const beginBefore = (cursor: number | null, witness: Witness | null | undefined) =>
  cursor !== null && cursor > 0 && witness?.id === cursor ? cursor - 1 : cursor

/** Throws OtherLog if these events, up to `reached`, are not what the witness has seen. */
export function compareWith(
  witness: Witness,
  events: readonly Witness[],
  { reached, isAll }: { reached: number | null; isAll: boolean },
): void {
  const same = events.find(({ id }) => id === witness.id)
  if (same && same.timestamp !== witness.timestamp)
    throw new OtherLog(`its event ${witness.id} is of ${same.timestamp}, and was of ${witness.timestamp}`)
  if (isAll && (reached ?? 0) < witness.id)
    throw new OtherLog(`it ends at event ${reached ?? 0}, and had event ${witness.id}`)
}
