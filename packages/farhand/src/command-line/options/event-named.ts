import { Trouble } from '@farhand/device/trouble/trouble'
import { EventId } from '@farhand/protocol/wire/ids'

/** Reads the number of an event that the user named, with or without the @ that lists show before it. */
export function eventNamed(flag: string, given: unknown): number {
  const id = EventId.safeParse(Number(String(given).replace(/^@/, '')))
  if (id.success) return id.data
  throw new Trouble(
    'usage',
    `${flag} is ${JSON.stringify(given)}, which is not an event.`,
    'It takes the number of an event; the first one of a run is 1.',
  )
}

/** The error for an event number that the run does not have. */
export function noSuchEvent(event: number, newest: number, next: string): Trouble {
  const known = newest === 0 ? 'this run has none yet' : `the newest of this run is ${newest}`
  return new Trouble('usage', `There is no event ${event}: ${known}.`, next)
}
