/** The parts of the service worker API that we use: TypeScript cannot load the types of pages and workers together. */
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
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WorkerWindow[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void
}

export type WorkerWindow = {
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
