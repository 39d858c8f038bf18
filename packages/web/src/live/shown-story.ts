import type { Story } from '@farhand/story/items/story'
import type { Connection } from '../connection/connection.ts'

/** If catching up takes less than this, the page shows only the result. */
const holdMs = 1500

/**
 * The story that a page shows while it grows. While catching up, rendering every step takes longer than reading
 * them: the old story stays, and is replaced only now and then.
 */
export class ShownStory {
  #shown: Story | null = null
  #at = 0
  #wasOnTheWay = false

  /** Call this for each render. */
  of(fold: { readonly story: Story }, { is }: Connection, nowMs: number): Story {
    const isOnTheWay = is === 'catching-up'
    if (isOnTheWay && !this.#wasOnTheWay) this.#at = nowMs
    this.#wasOnTheWay = isOnTheWay
    if (this.#shown && isOnTheWay && nowMs - this.#at < holdMs) return this.#shown
    this.#at = nowMs
    this.#shown = fold.story
    return this.#shown
  }
}
