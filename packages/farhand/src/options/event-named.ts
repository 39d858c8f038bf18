import { EventId } from '@farhand/protocol/wire/ids'
import { Trouble } from '../errors/trouble.ts'

/** The event that somebody named: by its number, or as lists show it, with an @ before it. */
export function eventNamed(flag: string, given: unknown): number {
  const id = EventId.safeParse(Number(String(given).replace(/^@/, '')))
  if (id.success) return id.data
  throw new Trouble(
    'usage',
    `${flag} is ${JSON.stringify(given)}, which is no event.`,
    'It takes the number of an event; the first one of a run is 1.',
  )
}

/** What to say to somebody who names an event that is not there. */
export function noSuchEvent(event: number, newest: number, next: string): Trouble {
  const known = newest === 0 ? 'this run has none yet' : `the newest of this run is ${newest}`
  return new Trouble('usage', `There is no event ${event}: ${known}.`, next)
}
