import { cacheStrategy } from './cache-strategy.ts'
import { notificationOf } from './notification-of.ts'
import { resubscribe } from './resubscribe.ts'
import type { WorkerScope } from './worker-scope.ts'

/** Put in by the build: its files, and a name that is another one for each build. */
declare const farhandBuild: { version: string; files: readonly string[] }

const worker = self as unknown as WorkerScope
const prefix = 'farhand-'
const current = `${prefix}${farhandBuild.version}`
const kept = new Set(farhandBuild.files)

worker.addEventListener('install', (event) => {
  const fill = async () => {
    const cache = await caches.open(current)
    // Not from the browser's own cache: what lies there may be of another build.
    await cache.addAll(farhandBuild.files.map((path) => new Request(path, { cache: 'reload' })))
    await worker.skipWaiting()
  }
  event.waitUntil(fill())
})

worker.addEventListener('activate', (event) => {
  const tidy = async () => {
    const ours = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== current)
    // The newest of the others stays: pages that were opened with it may still load parts of it.
    for (const name of ours.slice(0, -1)) await caches.delete(name)
    await worker.clients.claim()
  }
  event.waitUntil(tidy())
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const how = cacheStrategy(request, worker.location.origin, kept)
  if (how === 'shell') event.respondWith(fromCache('/', request))
  if (how === 'kept') event.respondWith(fromCache(new URL(request.url).pathname, request))
  if (how === 'older') event.respondWith(fromAnyBuild(request))
})

/** Resolves when all that was to be shown is. */
let shown: Promise<unknown> = Promise.resolve()

worker.addEventListener('push', (event) => {
  const { title, options } = notificationOf(event.data?.text() ?? null)
  const show = async () => {
    const { run } = options.data
    await worker.registration.showNotification(title, options)
    // That a run is done makes it old news that it needed somebody. Not before that is shown: in between there would be nothing.
    for (const other of await worker.registration.getNotifications())
      if (run !== null && other.data?.run === run && other.tag !== options.tag) other.close()
  }
  // One after the other: Chromium takes away what is on its way to the screen while somebody asks which ones there are.
  shown = shown.then(show, show)
  event.waitUntil(shown)
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(String(event.notification.data?.path ?? '/')))
})

worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(resubscribe(worker.registration.pushManager, event.oldSubscription))
})

/** Brings a window of the app to the front and lets it go there without loading anew; or opens one. */
async function show(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const [window] = windows.toSorted((a, b) => rank(a.url, path) - rank(b.url, path))
  if (!window) return void (await worker.clients.openWindow(path))
  window.postMessage({ go: path })
  await window.focus()
}

/** A window in which that run is shown already comes first. */
const rank = (url: string, path: string) => (new URL(url).pathname === path.split('#')[0] ? 0 : 1)

async function fromCache(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(current)
  return (await cache.match(path)) ?? (await fetch(request))
}

async function fromAnyBuild(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? (await fetch(request))
}
