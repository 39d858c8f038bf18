/** How long somebody may sit still before a page: longer, and it may be a screen in an empty room. */
const stillMs = 2 * 60_000

/** Whether a person has this page before their eyes, as far as a page can tell. */
export const isLookedAt = (page: { isVisible: boolean; lastSign: number; now: number }): boolean =>
  page.isVisible && page.now - page.lastSign < stillMs
