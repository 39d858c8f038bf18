/** What an address of the app shows. */
export type Route =
  | { is: 'runs' }
  /** `event`: the item to scroll to, by its first event. */
  | { is: 'run'; run: string; part: 'talk' | 'files'; event: number | null }
  | { is: 'new' }
  | { is: 'settings' }
  | { is: 'schedules' }
  | { is: 'new-schedule' }
  | { is: 'schedule'; schedule: string }
  | { is: 'in' }
  /** `invitation`: the token of the link that the user was given. */
  | { is: 'join'; invitation: string }
  | { is: 'nowhere' }

/** The token in the fragment of a link that shows one run; null for any other address. */
export const sharedTokenIn = (fragment: string): string | null =>
  /^#shared=(fhg_[0-9A-Za-z]{1,100})$/.exec(fragment)?.[1] ?? null

/** The route of a path and a fragment; `nowhere` for an unknown path. */
export function routeOf(path: string, fragment = ''): Route {
  const parts = path.split('/').filter((part) => part !== '')
  const [first, run, part] = parts
  if (first === undefined) {
    const invitation = /^#join=(fhi_[0-9A-Za-z]{1,100})$/.exec(fragment)?.[1]
    return invitation ? { is: 'join', invitation } : { is: 'runs' }
  }
  if (parts.length === 1 && (first === 'new' || first === 'settings' || first === 'in')) return { is: first }
  if (first === 'schedules' && parts.length < 3) return scheduleRoute(run)
  if (first !== 'runs' || parts.length > 3) return { is: 'nowhere' }
  if (run === undefined) return { is: 'runs' }
  if (part !== undefined && part !== 'files') return { is: 'nowhere' }
  const id = plainly(run)
  if (id === null) return { is: 'nowhere' }
  const event = /^#e([1-9][0-9]{0,14})$/.exec(fragment)?.[1]
  return {
    is: 'run',
    run: id,
    part: part === 'files' ? 'files' : 'talk',
    event: event ? Number(event) : null,
  }
}

/** The address of a route; `routeOf` gives the route back. */
export function pathOf(route: Route): string {
  switch (route.is) {
    case 'runs':
      return '/'
    case 'run': {
      const files = route.part === 'files' ? '/files' : ''
      return `/runs/${encodeURIComponent(route.run)}${files}${route.event ? `#e${route.event}` : ''}`
    }
    case 'join':
      return `/#join=${route.invitation}`
    case 'new-schedule':
      return '/schedules/new'
    case 'schedule':
      return `/schedules/${encodeURIComponent(route.schedule)}`
    case 'nowhere':
      return '/nowhere'
    default:
      return `/${route.is}`
  }
}

function scheduleRoute(part: string | undefined): Route {
  if (part === undefined) return { is: 'schedules' }
  if (part === 'new') return { is: 'new-schedule' }
  const schedule = plainly(part)
  return schedule === null ? { is: 'nowhere' } : { is: 'schedule', schedule }
}

function plainly(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    // An incomplete escape sequence.
    return null
  }
}
