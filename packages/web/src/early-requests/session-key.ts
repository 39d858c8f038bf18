import { readLocal, writeLocal } from '../storage/local.ts'

const place = 'farhand.key'
/** A cache for the service worker, which has no local storage. */
const workerPlace = 'farhand key'
const workerPath = '/key'
/** For windows without storage: lasts as long as the page. */
let held: string | null = null

/**
 * The half of the session token that this page stores. Unlike cookies, storage is separate for each port: a page
 * that an agent serves on another port of this host cannot read it.
 */
export const sessionKey = (): string | null => readLocal(place) ?? held

export function storeSessionKey(key: string): void {
  held = key
  writeLocal(place, key)
  void forWorker((cache) => cache.put(workerPath, new Response(key)))
}

export function forgetSessionKey(): void {
  held = null
  writeLocal(place, null)
  void forWorker(() => caches.delete(workerPlace))
}

/** The session key, for the service worker. */
export async function sessionKeyForWorker(): Promise<string | null> {
  const kept = await (await caches.open(workerPlace)).match(workerPath)
  return (await kept?.text()) ?? null
}

/** Only secure pages have `caches`. */
async function forWorker(work: (cache: Cache) => Promise<unknown>): Promise<void> {
  if (typeof caches === 'undefined') return
  await caches
    .open(workerPlace)
    .then(work)
    .catch(() => {})
}
