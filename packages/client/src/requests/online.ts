import { Unreachable } from './refusal.ts'

/** Whether there is a network at all. */
export type Online = {
  now(): boolean
  onChange(ring: () => void): () => void
}

const always: Online = { now: () => true, onChange: () => () => {} }

type Scope = {
  navigator?: { onLine?: boolean }
  addEventListener?: (event: string, listener: () => void) => void
  removeEventListener?: (event: string, listener: () => void) => void
}

/** What the browser reports of the network; outside of browsers, and for a hub on this machine, always online. */
export function onlineFor(hubUrl: string, scope: Scope = globalThis as Scope): Online {
  if (typeof scope.navigator?.onLine !== 'boolean' || !scope.addEventListener || isLoopback(hubUrl))
    return always
  return {
    now: () => scope.navigator?.onLine !== false,
    onChange(ring) {
      scope.addEventListener?.('online', ring)
      scope.addEventListener?.('offline', ring)
      return () => {
        scope.removeEventListener?.('online', ring)
        scope.removeEventListener?.('offline', ring)
      }
    },
  }
}

// Loopback works without any network, and a browser without one still says it is offline.
function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
}

/** A signal that aborts when `outer` does or the network goes away, which an open socket would not notice. */
export function whileOnline(
  online: Online,
  outer: AbortSignal | undefined,
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const onOuterAbort = () => controller.abort(outer?.reason)
  if (outer?.aborted) onOuterAbort()
  outer?.addEventListener('abort', onOuterAbort, { once: true })
  const unsubscribe = online.onChange(() => {
    if (!online.now()) controller.abort(new Unreachable('the network went away'))
  })
  return {
    signal: controller.signal,
    stop() {
      unsubscribe()
      outer?.removeEventListener('abort', onOuterAbort)
    },
  }
}
