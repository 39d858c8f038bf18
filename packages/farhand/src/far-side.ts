import { sleep } from '@farhand/kit/sleep'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import type { SyncNote } from '@farhand/sync/sync-notes'

// What was written right before somebody closed the run has to be seen first.
const lookMs = 200

/** A folder in the runner's seat. When the run is being closed it says that it is done once all it has is in the run. */
export class FarSide {
  readonly #done: () => Promise<void>
  readonly #over: AbortSignal
  #isInStep = false
  #isClosing = false
  #isSaid = false

  constructor(done: () => Promise<void>, over: AbortSignal) {
    this.#done = done
    this.#over = over
  }

  note(note: SyncNote): void {
    if (note.is === 'in-step') this.#isInStep = true
    if (note.is === 'progress' && note.toSend + note.toApply > 0) this.#isInStep = false
    if (this.#isClosing) this.#say()
  }

  async hear({ notification: { method } }: SeenEvent): Promise<void> {
    if (method !== '_posthog/close') return
    try {
      await sleep(lookMs, { signal: this.#over })
    } catch {
      // It is over before that.
      return
    }
    this.#isClosing = true
    this.#say()
  }

  #say(): void {
    if (!this.#isInStep || this.#isSaid) return
    this.#isSaid = true
    // Should the word be lost, the hub waits as long as it would have without it.
    this.#done().catch(() => {})
  }
}
