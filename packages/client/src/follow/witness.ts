import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** An event that a reader has handled once: enough of it to notice that a log has another one in its place. */
export type Witness = Pick<SeenEvent, 'id' | 'timestamp'>

/** The log is not the one that was read before: an older state of it was put back, or another took its place. */
export class OtherLog extends Error {
  constructor(why: string) {
    super(`this is not the log that was read before: ${why}`)
    this.name = 'OtherLog'
  }
}

/** Where to begin so that the event the reader handled last comes once more, to be compared. */
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
