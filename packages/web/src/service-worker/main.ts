import type { NewPushSubscription } from '@farhand/protocol/schemas/push'
import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'
import { sessionKeyForWorker } from '../early-requests/session-key.ts'
import { cacheStrategy } from './cache-strategy.ts'
import { notificationOf } from './notification-of.ts'

/** Set by the build: its files, and a version that differs for each build. */
declare const farhandBuild: { version: string; files: readonly string[] }

const worker = self as unknown as WorkerScope
const prefix = 'farhand-'
const current = `${prefix}${farhandBuild.version}`
const kept = new Set(farhandBuild.files)

worker.addEventListener('install', (event) => {
  const fill = async () => {
    const cache = await caches.open(current)
    // Bypass the HTTP cache, which may have files of another build.
    await cache.addAll(farhandBuild.files.map((path) => new Request(path, { cache: 'reload' })))
    await worker.skipWaiting()
  }
  event.waitUntil(fill())
})

worker.addEventListener('activate', (event) => {
  const tidy = async () => {
    const ours = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== current)
    // Keep the newest of the other caches: open pages of that build may still load parts of it.
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

/** Resolves when all notifications so far are shown. */
let shown: Promise<unknown> = Promise.resolve()

worker.addEventListener('push', (event) => {
  const { title, options } = notificationOf(event.data?.text() ?? null)
  const show = async () => {
    const { run } = options.data
    await worker.registration.showNotification(title, options)
    // "Done" replaces "Needs you" of the same run. Close the old one after showing the new one, so that there is
    // always one.
    for (const other of await worker.registration.getNotifications())
      if (run !== null && other.data?.run === run && other.tag !== options.tag) other.close()
  }
  // One at a time: Chromium loses a notification that is being shown while `getNotifications` runs.
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

/** Focuses a window of the app and navigates it without a reload, or opens a new window. */
async function show(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const [window] = windows.toSorted((a, b) => rank(a.url, path) - rank(b.url, path))
  if (!window) return void (await worker.clients.openWindow(path))
  window.postMessage({ go: path })
  await window.focus()
}

/** Prefers a window that already shows the run. */
const rank = (url: string, path: string) => (new URL(url).pathname === path.split('#')[0] ? 0 : 1)

async function fromCache(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(current)
  return (await cache.match(path)) ?? (await fetch(request))
}

async function fromAnyBuild(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? (await fetch(request))
}

/**
 * The push service replaced a subscription by itself: send the new one to the hub, or no notification would arrive
 * any more.
 */
async function resubscribe(push: PushManager, old: PushSubscription | null): Promise<void> {
  const key = old?.options.applicationServerKey
  if (!key) return
  const { endpoint, keys } = (
    await push.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  ).toJSON()
  const body = { endpoint, keys } as NewPushSubscription
  const sessionKey = await sessionKeyForWorker()
  await fetch('/api/push/subscriptions', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(sessionKey !== null && { [sessionKeyHeader]: sessionKey }),
    },
    body: JSON.stringify(body),
  })
}

/** The parts of the service worker API that we use: TypeScript cannot load the types of pages and workers together. */
type WorkerScope = {
  location: { origin: string }
  registration: {
    scope: string
    pushManager: PushManager
    showNotification(title: string, options: NotificationOptions): Promise<void>
    getNotifications(): Promise<Notification[]>
  }
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WorkerWindow[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void
}

type WorkerWindow = {
  url: string
  focused: boolean
  focus(): Promise<unknown>
  postMessage(message: unknown): void
}

/** The browser keeps the worker alive until `work` is done. */
type Lasting = { waitUntil(work: Promise<unknown>): void }

type Events = {
  install: Lasting
  activate: Lasting
  fetch: { request: Request; respondWith(answer: Promise<Response>): void }
  push: Lasting & { data: { text(): string } | null }
  notificationclick: Lasting & { notification: Notification }
  pushsubscriptionchange: Lasting & { oldSubscription: PushSubscription | null }
}
