/**
 * `shell`: the page of the app, from this build; `kept`: a file of it; `older`: maybe of the build before, which the hub may not
 * have any more; `network`: not for us to answer.
 */
export type CacheStrategy = 'shell' | 'kept' | 'older' | 'network'

type Asked = { method: string; mode: string; url: string }

const pages = /^\/($|runs($|\/)|new$|settings($|\/)|in$)/

/**
 * How the service worker answers a request. Whatever the hub says, and its own files, never come from here: what is kept
 * must not be taken for what is.
 */
export function cacheStrategy(asked: Asked, origin: string, kept: ReadonlySet<string>): CacheStrategy {
  const url = new URL(asked.url)
  if (asked.method !== 'GET' || url.origin !== origin) return 'network'
  if (asked.mode === 'navigate') return pages.test(url.pathname) ? 'shell' : 'network'
  if (kept.has(url.pathname)) return 'kept'
  return url.pathname.startsWith('/assets/') ? 'older' : 'network'
}
