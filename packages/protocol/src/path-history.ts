import type { FileEntry } from './methods/files.ts'
import type { SeenAuthor } from './seen-event.ts'

/** What a path is since some event, and who says so; null is absent. */
export type FileVersion = { entry: FileEntry | null; by: SeenAuthor; eventId: number }

export const sameEntry = (a: FileEntry | null, b: FileEntry | null) =>
  a === b || (a !== null && b !== null && a.hash === b.hash && a.mode === b.mode)

const nameOf = (by: SeenAuthor) => {
  if (by.kind === 'other') return `${by.said} ${by.id}`
  return 'id' in by ? `${by.kind} ${by.id}` : by.kind
}

/** What a `PathHistory` remembers besides its current version, unless that is all there is to remember. */
export type PastRow = { device: string; rivals: boolean; since: (FileEntry | null)[]; sinceDevice: number }

/**
 * As much of one path's history as S3 asks about: is what a writer had agreed on still, or again, what the log says,
 * and if not, who changed it since?
 *
 * "Device" is everyone who writes for a person, the web included. Only entries since the last change by a rival of
 * the newest device are remembered: before it, nobody's question can be answered with yes.
 */
export class PathHistory {
  #now: FileVersion
  #device: string | null = null
  #hadRivals = false
  #since: (FileEntry | null)[] = []
  #sinceDevice = 0

  constructor(first: FileVersion, past?: PastRow) {
    this.#now = first
    if (!past) {
      this.change(first)
      return
    }
    this.#device = past.device
    this.#hadRivals = past.rivals
    this.#since = [...past.since]
    this.#sinceDevice = past.sinceDevice
  }

  /** What it takes to go on from here in another life; undefined if the current version is enough. */
  past(): PastRow | undefined {
    if (this.#device === null) return undefined
    const [device, rivals, since, sinceDevice] = [
      this.#device,
      this.#hadRivals,
      this.#since,
      this.#sinceDevice,
    ]
    const isPlain = !rivals && since.length === 1 && device === nameOf(this.#now.by)
    return isPlain ? undefined : { device, rivals, since: [...since], sinceDevice }
  }

  get now(): FileVersion {
    return this.#now
  }

  /** Makes this version the current one. */
  change(to: FileVersion): void {
    this.#now = to
    if (to.by.kind === 'runner') {
      if (this.#device !== null) this.#since.push(to.entry)
      return
    }
    const device = nameOf(to.by)
    if (this.#device !== null && this.#device !== device) {
      this.#hadRivals = true
      this.#since = this.#since.slice(this.#sinceDevice)
    } else if (!this.#hadRivals) {
      this.#since = []
    }
    this.#device = device
    this.#sinceDevice = this.#since.push(to.entry) - 1
  }

  /** Whether a write by this author counts, who last agreed on `was`; undefined: on what was there before the log. */
  counts(was: FileEntry | null | undefined, by: SeenAuthor): boolean {
    if (was !== undefined && sameEntry(was, this.#now.entry)) return true
    if (by.kind === 'runner') return was === undefined && this.#device === null
    const isNewest = this.#device === nameOf(by)
    if (this.#device === null || (isNewest && !this.#hadRivals)) return true
    if (was === undefined) return false
    for (let at = this.#since.length - 1; at >= (isNewest ? 0 : this.#sinceDevice); at -= 1) {
      if (sameEntry(was, this.#since[at]!)) return true
    }
    return false
  }
}
