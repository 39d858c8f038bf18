import type { RunId } from '@farhand/protocol/wire/ids'
import { ShortStory } from '@farhand/story/delegated/short-story'
import type { Story } from '@farhand/story/items/story'
import type { EventLog } from '../log/event-log.ts'
import { decodeLine } from '../log/stored-line.ts'

const mostFolds = 50
const bytesAtOnce = 512 * 1024

/** `reading`: what the last caller waits for; the next one reads after it. */
type Folded = { story: ShortStory; lastId: number; reading: Promise<unknown> }

/**
 * The stories of delegated tasks, folded from their logs. Those that were asked for last are kept, so that to ask again reads only what
 * is new.
 */
export class TaskFolds {
  readonly #log: EventLog
  readonly #folds = new Map<RunId, Folded>()

  constructor(log: EventLog) {
    this.#log = log
  }

  /** The story of this run, up to the durable end of its log. */
  async story(run: RunId): Promise<Story> {
    const folded = this.#folds.get(run) ?? { story: new ShortStory(), lastId: 0, reading: Promise.resolve() }
    this.#keep(run, folded)
    const reading = folded.reading.then(() => this.#readOn(run, folded))
    // The next caller reads again: it must not fail because this one did.
    folded.reading = reading.catch(() => {})
    try {
      await reading
    } catch (error) {
      // It may have taken a part of what was read.
      if (this.#folds.get(run) === folded) this.#folds.delete(run)
      throw error
    }
    return folded.story.fold.story
  }

  async #readOn(run: RunId, folded: Folded): Promise<void> {
    for (;;) {
      const chunk = await this.#log.read(run, folded.lastId, bytesAtOnce)
      if (chunk === null) return
      for (const line of chunk.bytes.toString().split('\n')) {
        if (line === '') continue
        const event = decodeLine(line)
        if (!event) throw new Error('a line of the log cannot be read')
        folded.story.take(event, () => {})
        folded.lastId = event.id
      }
    }
  }

  #keep(run: RunId, folded: Folded): void {
    // Sets it behind all others, so that the first is the one that was not asked for the longest.
    this.#folds.delete(run)
    this.#folds.set(run, folded)
    for (const oldest of this.#folds.keys()) {
      if (this.#folds.size <= mostFolds) return
      this.#folds.delete(oldest)
    }
  }
}
