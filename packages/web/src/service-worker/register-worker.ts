import { go } from '../navigation/location.ts'
import { routeOf } from '../navigation/route.ts'
import { whenIdle } from '../scheduling/when-idle.ts'
import { toast } from '../ui/toasts.ts'
import { workerUrl } from './worker-address.ts'

/**
 * Has the service worker of the newest build work for this page, and goes where a notification leads. A page that is
 * open is never loaded anew by itself: somebody may be typing.
 */
export function registerWorker(): void {
  const { serviceWorker } = navigator
  // Not there without https, but for this very machine: then the app works, and only while there is a network.
  if (!serviceWorker) return
  let isFirst = serviceWorker.controller === null
  serviceWorker.addEventListener('controllerchange', () => {
    // The first one that a page gets is no update; those that follow are, also for a page that is never closed.
    if (!isFirst) whenSeen(() => toast('Farhand has been updated. Reload the page when it suits you.'))
    isFirst = false
  })
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ go?: unknown } | null>) => {
    if (typeof data?.go !== 'string') return
    const { pathname, hash } = new URL(data.go, location.origin)
    go(routeOf(pathname, hash))
  })
  const look = () =>
    void serviceWorker
      .getRegistration()
      .then((found) => found?.update())
      .catch(() => {})
  // A phone keeps a page for weeks; what is new is only looked for when a page is opened.
  addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look())
  // It fetches all of the app: not while somebody waits for the page.
  const kept = whenIdle().then(() => serviceWorker.register(workerUrl(), { updateViaCache: 'none' }))
  kept.catch((error: unknown) => {
    console.warn('without a service worker there are no notifications, and nothing without a network:', error)
  })
}

/** What is said in passing to a page that nobody sees is never heard. */
function whenSeen(say: () => void): void {
  const look = () => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', look)
    say()
  }
  document.addEventListener('visibilitychange', look)
  look()
}
