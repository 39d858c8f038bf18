/** Calls `act` once for all calls of `ask` within a pause, and at the latest when the page is hidden. */
export function soon(act: () => void, pauseMs: number): { ask: () => void; forget: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const forget = () => {
    clearTimeout(timer)
    timer = undefined
    removeEventListener('pagehide', due)
  }
  const due = () => {
    forget()
    act()
  }
  const ask = () => {
    if (timer !== undefined) return
    timer = setTimeout(due, pauseMs)
    addEventListener('pagehide', due)
  }
  return { ask, forget }
}
