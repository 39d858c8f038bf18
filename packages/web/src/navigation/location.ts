import { useSyncExternalStore } from 'react'
import { pathOf, type Route, routeOf } from './route.ts'

const moved = new Set<() => void>()
let here: { address: string; route: Route } | null = null

/** Goes to a route and adds a history entry; `replace` adds none. */
export function go(route: Route, { replace = false } = {}): void {
  const address = pathOf(route)
  if (address === location.pathname + location.hash) return
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  for (const listener of moved) listener()
}

/** The current route. The same address gives the same object. */
export function useRoute(): Route {
  return useSyncExternalStore(whenMoved, routeNow, routeWithoutPage)
}

/** For rendering without a browser, in tests. */
const nowhere: Route = { is: 'nowhere' }
const routeWithoutPage = () => nowhere

function routeNow(): Route {
  const address = location.pathname + location.hash
  if (here?.address !== address) here = { address, route: routeOf(location.pathname, location.hash) }
  return here.route
}

/** Calls `listener` whenever the address changes, until the returned function is called. */
export function whenMoved(listener: () => void): () => void {
  moved.add(listener)
  addEventListener('popstate', listener)
  addEventListener('hashchange', listener)
  return () => {
    moved.delete(listener)
    removeEventListener('popstate', listener)
    removeEventListener('hashchange', listener)
  }
}
