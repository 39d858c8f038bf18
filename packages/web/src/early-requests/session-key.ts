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
export function sessionKey(): string | null {
  try {
    return localStorage.getItem(place) ?? held
  } catch {
    return held
  }
}

export function storeSessionKey(key: string): void {
  held = key
  try {
    localStorage.setItem(place, key)
  } catch {
    // Storage is forbidden in this window.
  }
  void forWorker((cache) => cache.put(workerPath, new Response(key)))
}

export function forgetSessionKey(): void {
  held = null
  try {
    localStorage.removeItem(place)
  } catch {
    // Storage is forbidden, so there is nothing to remove.
  }
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
