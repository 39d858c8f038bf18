import { sleptMs } from '@farhand/kit/slept'

/** Tells when it is worth a try: somebody looks at the page again, the network went or is back, the machine has slept. */
export type Wake = {
  /** `awayMs`: for how long nothing may have been heard. */
  onWake(ring: (awayMs: number) => void): () => void
}

const lookEveryMs = 10_000
/** A page in the background is let run only once a minute; that is no sleep. */
const busyMs = 65_000

const clocks = () => ({ wall: Date.now(), steady: performance.now() })

/** What a browser tells of it. Listens from the first ring that wants to know, and stops with the last. */
export function browserWake(page: Document = document, frame: Window = window): Wake {
  const rings = new Set<(awayMs: number) => void>()
  let hiddenAt: number | null = null
  let looked = clocks()
  let timer: ReturnType<typeof setInterval> | undefined
  const ringAll = (awayMs: number) => {
    for (const ring of [...rings]) ring(awayMs)
  }
  const onAway = () => {
    hiddenAt ??= Date.now()
  }
  const onBack = () => {
    if (hiddenAt === null) return
    const awayMs = Date.now() - hiddenAt
    hiddenAt = null
    ringAll(awayMs)
  }
  const onVisibility = () => (page.visibilityState === 'hidden' ? onAway() : onBack())
  // One that comes out of the page cache had its connections cut without being told.
  const onPageShow = (event: PageTransitionEvent) => event.persisted && ringAll(Number.POSITIVE_INFINITY)
  const onOnline = () => ringAll(0)
  // Who has the hub on this same machine goes on without a network; of all others an open connection would not tell.
  const onOffline = () => ringAll(Number.POSITIVE_INFINITY)
  const onLook = () => {
    const now = clocks()
    const slept = sleptMs(looked, now, lookEveryMs, busyMs)
    looked = now
    if (slept > 0) ringAll(slept)
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
    onWake(ring) {
      if (rings.size === 0) begin()
      rings.add(ring)
      return () => {
        if (rings.delete(ring) && rings.size === 0) end()
      }
    },
  }
}
