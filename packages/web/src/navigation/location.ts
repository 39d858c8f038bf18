import { useSyncExternalStore } from 'react'
import { pathOf, type Route, routeOf } from './route.ts'

const moved = new Set<() => void>()
let here: { address: string; route: Route } | null = null

/** Shows a route, as a step that the back button takes back; `replace` leaves no step behind. */
export function go(route: Route, { replace = false } = {}): void {
  const address = pathOf(route)
  if (address === location.pathname + location.hash) return
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  for (const listener of moved) listener()
}

/** The route of the address, now and whenever it changes. The same address gives the same object. */
export function useRoute(): Route {
  return useSyncExternalStore(whenMoved, routeNow, routeWithoutPage)
}

/** Where something is drawn without a browser. */
const nowhere: Route = { is: 'nowhere' }
const routeWithoutPage = () => nowhere

function routeNow(): Route {
  const address = location.pathname + location.hash
  if (here?.address !== address) here = { address, route: routeOf(location.pathname, location.hash) }
  return here.route
}

/** Is called whenever the address changes, until the answer is called. */
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
