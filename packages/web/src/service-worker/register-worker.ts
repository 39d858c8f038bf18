import { go } from '../navigation/location.ts'
import { routeOf } from '../navigation/route.ts'
import { whenIdle } from '../scheduling/when-idle.ts'
import { toast } from '../ui/toasts.ts'

/**
 * Registers the service worker, and follows its notification links. An open page never reloads by itself, because
 * the user may be typing.
 */
export function registerWorker(): void {
  const { serviceWorker } = navigator
  // Only on https pages and localhost. Without a service worker the app works, but not offline.
  if (!serviceWorker) return
  let isFirst = serviceWorker.controller === null
  serviceWorker.addEventListener('controllerchange', () => {
    // The first controller of a page is no update; later ones are.
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
  // A phone keeps a page open for weeks, and browsers look for updates only when a page is opened.
  addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look())
  // Installing it fetches the whole app, so wait until the page is idle.
  const kept = whenIdle().then(() => serviceWorker.register(workerUrl(), { updateViaCache: 'none' }))
  kept.catch((error: unknown) => {
    console.warn(
      'the service worker could not be registered, so there are no notifications and no offline use:',
      error,
    )
  })
}

/** A toast on a hidden page would go unseen. */
function whenSeen(say: () => void): void {
  const look = () => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', look)
    say()
  }
  document.addEventListener('visibilitychange', look)
  look()
}

const path = '/sw.js'

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): {
    createScriptURL(address: string): object
  }
}

/**
 * The URL of the service worker, as a Trusted Types policy allows it. The hub allows only this policy, which
 * accepts only this URL, so that no injected script URL can pass.
 */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  // A browser without Trusted Types takes a plain string.
  if (!trustedTypes) return path
  const policy = trustedTypes.createPolicy('farhand', { createScriptURL: () => path })
  return policy.createScriptURL(path) as unknown as string
}
