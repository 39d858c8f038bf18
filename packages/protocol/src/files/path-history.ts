import type { FileEntry } from '../methods/files.ts'
import type { SeenAuthor } from '../wire/seen-event.ts'

type Entry = FileEntry | null

/** What a path is since some event, and who says so; null is absent. */
export type FileVersion = { entry: FileEntry | null; by: SeenAuthor; eventId: number }

export const sameEntry = (a: FileEntry | null, b: FileEntry | null) =>
  a === b || (a !== null && b !== null && a.hash === b.hash && a.mode === b.mode)

/** So many entries of a path are remembered, however often it is rewritten: a part of rule S3. */
export const mostSince = 1_000

/**
 * Adds what a path is now to what it has been, oldest first, in place. What it has been before moves to the end: only
 * whether it was, and whether since something else, is ever asked. Beyond the most that is remembered the oldest goes.
 * Entries before `from` are left as they are. Gives where `from` is then.
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

/** Whether two events have the same author. Runners are told apart by generation, and S3 never asks. */
export const sameAuthor = (a: SeenAuthor, b: SeenAuthor) =>
  a === b ||
  (a.kind === b.kind && idOf(a) === idOf(b) && (a.kind !== 'other' || a.said === (b as typeof a).said))

/** Whether what `by` wrote stands against everyone but `other`: it speaks for a person, and is somebody else. */
export const isRival = (by: SeenAuthor, other: SeenAuthor) => by.kind !== 'runner' && !sameAuthor(by, other)

/** What a `PathHistory` remembers, as JSON can carry it. */
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
 * As much of one path's history as S3 asks about, once a device's version has been changed by somebody else: is what
 * a writer had agreed on still, or again, what the log says, and if not, who changed it since?
 *
 * "Device" is everyone who writes for a person, the web included. Only entries since the last change by a rival of
 * the newest device are remembered: before it, nobody's question can be answered with yes.
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

  /** What is to be remembered of a path besides its current version: null if that one says it all. */
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
    // What it was before is asked about by this device only, in no order.
    heldSince(this.#since, to)
    this.#sinceDevice = this.#since.length - 1
  }

  /** Whether a write by this author counts, who last agreed on `was`. */
  counts(now: Entry, was: Entry, by: SeenAuthor): boolean {
    if (sameEntry(was, now)) return true
    if (by.kind === 'runner') return false
    const isNewest = sameAuthor(this.#device, by)
    if (isNewest && !this.#hadRivals) return true
    // The last one is what the path is now.
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
