import type { Connection } from '../connection/connection.ts'
import type { Story } from '../story/story.ts'

/** Who has caught up within this time is shown nothing of the way there. */
const patientMs = 1500

/**
 * What a page shows of a story that grows. Whoever catches up wants to see the end, and to draw the steps on the way there
 * takes longer than to read them: what was shown before stays, and is renewed only now and then.
 */
export class ShownStory {
  #shown: Story | null = null
  #at = 0
  #wasOnTheWay = false

  /** To be asked whenever the page is drawn. */
  of(fold: { readonly story: Story }, { is }: Connection, nowMs: number): Story {
    const isOnTheWay = is === 'catching-up'
    if (isOnTheWay && !this.#wasOnTheWay) this.#at = nowMs
    this.#wasOnTheWay = isOnTheWay
    if (this.#shown && isOnTheWay && nowMs - this.#at < patientMs) return this.#shown
    this.#at = nowMs
    this.#shown = fold.story
    return this.#shown
  }
}
