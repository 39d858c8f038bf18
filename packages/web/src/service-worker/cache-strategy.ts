/**
 * `shell`: answer with the app's page from this build; `kept`: a file of this build, from the cache; `older`: maybe
 * a file of the previous build, which the hub may no longer have; `network`: do not answer.
 */
export type CacheStrategy = 'shell' | 'kept' | 'older' | 'network'

type Asked = { method: string; mode: string; url: string }

const pages = /^\/($|runs($|\/)|new$|settings($|\/)|in$)/

/**
 * How the service worker answers a request. Responses of the hub's API never come from a cache, because they would
 * be out of date.
 */
export function cacheStrategy(asked: Asked, origin: string, kept: ReadonlySet<string>): CacheStrategy {
  const url = new URL(asked.url)
  if (asked.method !== 'GET' || url.origin !== origin) return 'network'
  if (asked.mode === 'navigate') return pages.test(url.pathname) ? 'shell' : 'network'
  if (kept.has(url.pathname)) return 'kept'
  return url.pathname.startsWith('/assets/') ? 'older' : 'network'
}
