const place = 'farhand.key'
/** Where the service worker finds it, which has no local storage. */
const workerPlace = 'farhand key'
const workerPath = '/key'
/** For windows that may keep nothing: then it lasts as long as the page. */
let held: string | null = null

/**
 * The half of the session's token that this page keeps. Storage is separate for each port, unlike cookies: a page that an
 * agent serves at another port of this host does not get it.
 */
export function sessionKey(): string | null {
  try {
    return localStorage.getItem(place) ?? held
  } catch {
    return held
  }
}

export function keepSessionKey(key: string): void {
  held = key
  try {
    localStorage.setItem(place, key)
  } catch {
    // A window that may keep nothing.
  }
  void forWorker((cache) => cache.put(workerPath, new Response(key)))
}

/** Who was here has gone. */
export function forgetSessionKey(): void {
  held = null
  try {
    localStorage.removeItem(place)
  } catch {
    // Then it was not kept there.
  }
  void forWorker(() => caches.delete(workerPlace))
}

/** The same, for the service worker. */
export async function sessionKeyForWorker(): Promise<string | null> {
  const kept = await (await caches.open(workerPlace)).match(workerPath)
  return (await kept?.text()) ?? null
}

/** Only pages that have service workers have this. */
async function forWorker(work: (cache: Cache) => Promise<unknown>): Promise<void> {
  if (typeof caches === 'undefined') return
  await caches
    .open(workerPlace)
    .then(work)
    .catch(() => {})
}
