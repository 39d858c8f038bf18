import { isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

const signOfLifeMs = 15_000

type FarSideWords = {
  /** Resolves when all that was done in the folder so far is in the run: it may have been written right before. */
  sent: () => Promise<void>
  /** It has nothing more to say. */
  done: () => Promise<void>
  /** It is there: a line that is open proves nothing (W23). */
  alive: () => Promise<unknown>
}

/** A folder in the runner's seat. When the run is being closed it says that it is done once all it has is in the run. */
export class FarSide {
  readonly #words: FarSideWords
  readonly #over: AbortSignal
  #isInStep = false
  #isClosing = false
  #isSaid = false
  /** How often the run was opened again. */
  #openings = 0

  constructor(words: FarSideWords, over: AbortSignal) {
    this.#words = words
    this.#over = over
    // If one does not arrive, the next may.
    const signs = setInterval(() => void words.alive().catch(() => {}), signOfLifeMs)
    over.addEventListener('abort', () => clearInterval(signs), { once: true })
  }

  note(note: SyncNote): void {
    if (note.is === 'in-step') this.#isInStep = true
    if (note.is === 'progress' && note.toSend + note.toApply > 0) this.#isInStep = false
    if (this.#isClosing) this.#say()
  }

  async hear({ notification }: SeenEvent): Promise<void> {
    if (isEvent(notification, 'status') && notification.params?.status === 'queued') this.#opened()
    if (!isEvent(notification, 'close')) return
    const openings = this.#openings
    try {
      await this.#words.sent()
    } catch {
      // It is over before that.
      return
    }
    // It may be long ago: who comes later reads of every close there was.
    if (openings !== this.#openings || this.#over.aborted) return
    this.#isClosing = true
    this.#say()
  }

  #opened(): void {
    this.#openings += 1
    this.#isClosing = false
    this.#isSaid = false
  }

  #say(): void {
    if (!this.#isInStep || this.#isSaid) return
    this.#isSaid = true
    // Should the word be lost, the hub waits as long as it would have without it.
    this.#words.done().catch(() => {})
  }
}
