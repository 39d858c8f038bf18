import { sleptMs } from '@farhand/kit/time-asleep'

/** Tells when a retry is worth it: the page is visible again, the network has changed, or the machine has slept. */
export type Wake = {
  /** `awayMs`: for how long the page may have missed messages. */
  onWake(listener: (awayMs: number) => void): () => void
}

const lookEveryMs = 10_000
/** A browser runs timers of a hidden page only once a minute; that does not count as sleep. */
const busyMs = 65_000

const clocks = () => ({ wall: Date.now(), steady: performance.now() })

/** Wake events of a browser. Listens from the first subscriber to the last. */
export function browserWake(page: Document = document, frame: Window = window): Wake {
  const listeners = new Set<(awayMs: number) => void>()
  let hiddenAt: number | null = null
  let looked = clocks()
  let timer: ReturnType<typeof setInterval> | undefined
  const notifyAll = (awayMs: number) => {
    for (const listener of [...listeners]) listener(awayMs)
  }
  const onAway = () => {
    hiddenAt ??= Date.now()
  }
  const onBack = () => {
    if (hiddenAt === null) return
    const awayMs = Date.now() - hiddenAt
    hiddenAt = null
    notifyAll(awayMs)
  }
  const onVisibility = () => (page.visibilityState === 'hidden' ? onAway() : onBack())
  // The browser cut the connections of a page in its back/forward cache, without an event.
  const onPageShow = (event: PageTransitionEvent) => event.persisted && notifyAll(Number.POSITIVE_INFINITY)
  const onOnline = () => notifyAll(0)
  // A hub on the same machine still answers without a network; all other connections are dead and do not show it.
  const onOffline = () => notifyAll(Number.POSITIVE_INFINITY)
  const onLook = () => {
    const now = clocks()
    const slept = sleptMs(looked, now, lookEveryMs, busyMs)
    looked = now
    if (slept > 0) notifyAll(slept)
  }
  const begin = () => {
    looked = clocks()
    timer = setInterval(onLook, lookEveryMs)
    page.addEventListener('visibilitychange', onVisibility)
    page.addEventListener('freeze', onAway)
    page.addEventListener('resume', onBack)
    frame.addEventListener('pageshow', onPageShow)
    frame.addEventListener('online', onOnline)
    frame.addEventListener('offline', onOffline)
  }
  const end = () => {
    clearInterval(timer)
    page.removeEventListener('visibilitychange', onVisibility)
    page.removeEventListener('freeze', onAway)
    page.removeEventListener('resume', onBack)
    frame.removeEventListener('pageshow', onPageShow)
    frame.removeEventListener('online', onOnline)
    frame.removeEventListener('offline', onOffline)
  }
  return {
    onWake(listener) {
      if (listeners.size === 0) begin()
      listeners.add(listener)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) end()
      }
    },
  }
}
