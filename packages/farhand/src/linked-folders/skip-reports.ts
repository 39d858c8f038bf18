import { createHash } from 'node:crypto'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Skip, SkipReason } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { whySkipped } from '../link-screen/note-in-words.ts'

/** Says something in the run, once for a key; rejects if the run would not have it. */
export type SayOnce = (event: Notification, key: string) => Promise<void>

/**
 * What people at the run would miss. What a rule leaves out was somebody's wish; what is held back because it may be a secret is not
 * to be named where the agent reads it.
 */
const told: readonly SkipReason[] = ['too-large', 'bad-name', 'clash', 'unreadable']

/** More would bury what the agent says. All are in `farhand status`. */
const mostTold = 20

/** Tells a run which files of a linked folder are not synced, and why: its pages have no other way to know. */
export class SkipReports {
  readonly #folder: string
  readonly #farhand: string
  readonly #seen = new Set<string>()
  #say: SayOnce | null = null
  #waiting: Skip[] = []
  #saying: Promise<void> = Promise.resolve()

  /** `folder` is what people call it. */
  constructor(folder: string, farhand: string) {
    this.#folder = folder
    this.#farhand = farhand
  }

  note(note: SyncNote): void {
    if (note.is !== 'skipped' || !told.includes(note.skip.why)) return
    const name = `${note.skip.why} ${note.skip.path}`
    if (this.#seen.has(name) || this.#seen.size > mostTold) return
    this.#seen.add(name)
    this.#waiting.push(note.skip)
    this.#work()
  }

  /** From now on the run can be spoken to. */
  begin(say: SayOnce): void {
    this.#say = say
    this.#work()
  }

  #work(): void {
    const say = this.#say
    if (!say) return
    const waiting = this.#waiting.splice(0)
    for (const skip of waiting)
      this.#saying = this.#saying
        .then(() => say(this.#event(skip), keyOf(this.#folder, skip)))
        .catch(() => {})
  }

  #event(skip: Skip): Notification {
    const { path, why, size } = skip
    const isOneTooMany = [...this.#seen].indexOf(`${why} ${path}`) === mostTold
    const message = isOneTooMany
      ? `More files of ${this.#folder} are not synced: ${this.#farhand} status lists them there.`
      : `Not synced from ${this.#folder}: ${path}: ${whySkipped(skip)}.`
    const skipped = isOneTooMany ? {} : { path, why, ...(size !== undefined && { size }) }
    return event('console', { level: 'warn', message, skipped })
  }
}

/** The same each time that the folder is linked again: what was said once is not said twice. */
const keyOf = (folder: string, { path, why }: Skip) =>
  `skip-${createHash('sha256')
    .update(JSON.stringify([folder, path, why]))
    .digest('hex')
    .slice(0, 32)}`
