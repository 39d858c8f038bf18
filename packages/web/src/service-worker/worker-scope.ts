/** What a service worker has around it, as far as ours uses it: the types of pages and of workers cannot be had together. */
export type WorkerScope = {
  location: { origin: string }
  registration: {
    scope: string
    pushManager: PushManager
    showNotification(title: string, options: NotificationOptions): Promise<void>
    getNotifications(): Promise<Notification[]>
  }
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowHere[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void
}

export type WindowHere = {
  url: string
  focused: boolean
  focus(): Promise<unknown>
  postMessage(message: unknown): void
}

/** Whatever is given to it is waited for before the worker is put to sleep. */
type Lasting = { waitUntil(work: Promise<unknown>): void }

type Events = {
  install: Lasting
  activate: Lasting
  fetch: { request: Request; respondWith(answer: Promise<Response>): void }
  push: Lasting & { data: { text(): string } | null }
  notificationclick: Lasting & { notification: Notification }
  pushsubscriptionchange: Lasting & { oldSubscription: PushSubscription | null }
}
