/** For so long at most whatever waits for it is put off. */
const mostMs = 2000

/** Resolves when the page has nothing to do that somebody waits for. Where a browser cannot tell, a moment later. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: mostMs })
    else setTimeout(resolve, 200)
  })
