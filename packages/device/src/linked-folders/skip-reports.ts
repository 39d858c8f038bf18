import { createHash } from 'node:crypto'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Skip, SkipReason } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/** Posts an event to the run, only once for a key; rejects if the hub refuses it. */
export type SayOnce = (event: Notification, key: string) => Promise<void>

/** How a report is worded, for users of the run and its agent. `folder` is the name that users read. */
export type SkipWords = {
  skipped: (folder: string, skip: Skip) => string
  more: (folder: string) => string
}

/**
 * The reasons that users of the run have to know. Ignored files are left out on purpose; a file that may be a secret must not be
 * named where the agent reads it.
 */
const told: readonly SkipReason[] = ['too-large', 'bad-name', 'clash', 'unreadable']

/** More would hide the agent's messages. `farhand status` lists all of them. */
const mostTold = 20

/** Reports to a run which files of a linked folder are not synced, and why: the web app cannot know it otherwise. */
export class SkipReports {
  readonly #folder: string
  readonly #words: SkipWords
  readonly #seen = new Set<string>()
  #say: SayOnce | null = null
  #waiting: Skip[] = []
  #saying: Promise<void> = Promise.resolve()

  constructor(folder: string, words: SkipWords) {
    this.#folder = folder
    this.#words = words
  }

  note(note: SyncNote): void {
    if (note.is !== 'skipped' || !told.includes(note.skip.why)) return
    const name = `${note.skip.why} ${note.skip.path}`
    if (this.#seen.has(name) || this.#seen.size > mostTold) return
    this.#seen.add(name)
    this.#waiting.push(note.skip)
    this.#work()
  }

  /** From now on events can be posted to the run. */
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
    const message = isOneTooMany ? this.#words.more(this.#folder) : this.#words.skipped(this.#folder, skip)
    const skipped = isOneTooMany ? {} : { path, why, ...(size !== undefined && { size }) }
    return event('console', { level: 'warn', message, skipped })
  }
}

/** The same key whenever the folder is linked again: the hub stores each report once. */
const keyOf = (folder: string, { path, why }: Skip) =>
  `skip-${createHash('sha256')
    .update(JSON.stringify([folder, path, why]))
    .digest('hex')
    .slice(0, 32)}`
