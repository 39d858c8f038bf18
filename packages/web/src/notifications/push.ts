import type { Hub } from '@farhand/client/requests/hub'
import { pushKey, subscribePush, unsubscribePush } from '@farhand/client/resources/push'
import type { NewPushSubscription } from '@farhand/protocol/schemas/push'
import { type PushState, pushState } from './push-state.ts'

/** The local storage key for the id of the hub's subscription. */
const place = 'farhand.push'

/** The current push state. Shows no permission prompt. */
export async function currentPushState(): Promise<PushState> {
  const hasPush = 'PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator
  return pushState({
    isSecure: isSecureContext,
    hasPush,
    isAppleInTab:
      /iPhone|iPad/.test(navigator.userAgent) && !matchMedia('(display-mode: standalone)').matches,
    permission: hasPush ? Notification.permission : 'default',
    isSubscribed: hasPush && (await subscription()) !== null,
  })
}

/** Turns push on. Call it only in a click handler: the browser shows its permission prompt only once. */
export async function turnOnPush(hub: Hub): Promise<PushState> {
  if ((await Notification.requestPermission()) === 'granted') await subscribe(hub)
  return await currentPushState()
}

/**
 * Sends the subscription to the hub again if push is on, because the hub forgets it with the session or its data.
 * Shows no permission prompt.
 */
export async function renewPush(hub: Hub): Promise<void> {
  if ((await currentPushState()) === 'on') await subscribe(hub)
}

async function subscribe(hub: Hub): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready
  const applicationServerKey = bytesOf(await pushKey(hub))
  const existing = await pushManager.getSubscription()
  // A subscription for another hub at this address would never get a message.
  if (existing && !isSame(existing.options.applicationServerKey, applicationServerKey))
    await existing.unsubscribe()
  const { endpoint, keys } = (
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  ).toJSON()
  const { id } = await subscribePush(hub, { endpoint, keys } as NewPushSubscription)
  localStorage.setItem(place, id)
}

/** Turns push off. Without a network, the hub learns it from the push service later. */
export async function turnOffPush(hub: Hub): Promise<PushState> {
  await (await subscription())?.unsubscribe()
  const id = localStorage.getItem(place)
  localStorage.removeItem(place)
  if (id !== null) await unsubscribePush(hub, id, { patienceMs: 0 }).catch(() => {})
  return await currentPushState()
}

async function subscription(): Promise<PushSubscription | null> {
  const registered = await navigator.serviceWorker.getRegistration()
  return (await registered?.pushManager.getSubscription()) ?? null
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

function isSame(a: ArrayBuffer | null, b: Uint8Array): boolean {
  const bytes = new Uint8Array(a ?? new ArrayBuffer(0))
  return bytes.length === b.length && bytes.every((byte, at) => byte === b[at])
}
