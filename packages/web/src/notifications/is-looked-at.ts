/** How long the user may be inactive before the page counts as unattended. */
const stillMs = 2 * 60_000

/** Whether the user is looking at this page, as far as a page can tell. */
export const isLookedAt = (page: { isVisible: boolean; lastSign: number; now: number }): boolean =>
  page.isVisible && page.now - page.lastSign < stillMs
