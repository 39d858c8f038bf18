import type { FileEntry } from '../methods/files.ts'
import type { SeenAuthor } from '../wire/seen-event.ts'

type Entry = FileEntry | null

/** The version of a path, its author and its event; a null entry is no file. */
export type FileVersion = { entry: FileEntry | null; by: SeenAuthor; eventId: number }

export const sameEntry = (a: FileEntry | null, b: FileEntry | null) =>
  a === b || (a !== null && b !== null && a.hash === b.hash && a.mode === b.mode)

/** How many entries of a path are remembered, however often it is rewritten: a part of rule S3. */
export const mostSince = 1_000

/**
 * Adds the current entry of a path to its earlier ones, oldest first, in place. An entry that is in the list already moves
 * to the end. Beyond `mostSince` the oldest is dropped. Entries before `from` stay as they are. Returns the new index of
 * `from`.
 */
export function heldSince(since: Entry[], entry: Entry, from = 0): number {
  const known = since.findIndex((one, at) => at >= from && sameEntry(one, entry))
  if (known !== -1) since.splice(known, 1)
  since.push(entry)
  const over = Math.max(0, since.length - mostSince)
  since.splice(0, over)
  return Math.max(0, from - over)
}

const idOf = (by: SeenAuthor) => ('id' in by ? by.id : '')

/** Whether two events have the same author; all runners count as one, because S3 does not tell them apart. */
export const sameAuthor = (a: SeenAuthor, b: SeenAuthor) =>
  a === b ||
  (a.kind === b.kind && idOf(a) === idOf(b) && (a.kind !== 'other' || a.said === (b as typeof a).said))

/** Whether `by` acts for a user, and is another author than `other`: then `other` must not overwrite its version unseen. */
export const isRival = (by: SeenAuthor, other: SeenAuthor) => by.kind !== 'runner' && !sameAuthor(by, other)

/** The content of a `PathHistory` as JSON. */
export type PastRow = {
  device: SeenAuthor
  rivals: boolean
  since: (FileEntry | null)[]
  sinceDevice: number
}

/** `PathHistory.counts` for a path that has had one version only, or only versions of one author, or of runners. */
export function countsOver(now: { entry: Entry; by: SeenAuthor }, was: Entry, by: SeenAuthor) {
  return sameEntry(was, now.entry) || (by.kind !== 'runner' && !isRival(now.by, by))
}

/**
 * The part of one path's history that rule S3 needs, once another author has changed a device's version: whether the
 * version that a writer had last seen is in the log now or was there again, and if not, which author changed it since.
 *
 * "Device" is every author that writes for a user, the web included. Only entries since the last change by a rival of
 * the newest device are remembered: a write on top of an earlier entry never counts.
 */
export class PathHistory {
  #device: SeenAuthor
  #hadRivals: boolean
  #since: Entry[]
  #sinceDevice: number

  constructor({ device, rivals, since, sinceDevice }: PastRow) {
    this.#device = device
    this.#hadRivals = rivals
    this.#since = since
    this.#sinceDevice = sinceDevice
  }

  /** The history of a path after a change; null if its current version is enough to decide about later writes. */
  static after(
    history: PathHistory | null,
    before: { entry: Entry; by: SeenAuthor },
    to: { entry: Entry; by: SeenAuthor },
  ): PathHistory | null {
    if (!history && (before.by.kind === 'runner' || sameAuthor(before.by, to.by))) return null
    const all =
      history ?? new PathHistory({ device: before.by, rivals: false, since: [before.entry], sinceDevice: 0 })
    all.#change(to.entry, to.by)
    return to.by.kind === 'runner' || all.#hadRivals ? all : null
  }

  #change(to: Entry, by: SeenAuthor): void {
    if (by.kind === 'runner') {
      this.#sinceDevice = heldSince(this.#since, to, this.#sinceDevice)
      return
    }
    if (!sameAuthor(this.#device, by)) {
      this.#hadRivals = true
      this.#since = this.#since.slice(this.#sinceDevice)
    }
    this.#device = by
    // Earlier entries matter for this device only, in any order.
    heldSince(this.#since, to)
    this.#sinceDevice = this.#since.length - 1
  }

  /** Whether a write counts whose author had last seen `was`. */
  counts(now: Entry, was: Entry, by: SeenAuthor): boolean {
    if (sameEntry(was, now)) return true
    if (by.kind === 'runner') return false
    const isNewest = sameAuthor(this.#device, by)
    if (isNewest && !this.#hadRivals) return true
    // The last entry is the current one.
    for (let at = this.#since.length - 2; at >= (isNewest ? 0 : this.#sinceDevice); at -= 1) {
      if (sameEntry(was, this.#since[at]!)) return true
    }
    return false
  }

  row(): PastRow {
    return {
      device: this.#device,
      rivals: this.#hadRivals,
      since: [...this.#since],
      sinceDevice: this.#sinceDevice,
    }
  }
}
