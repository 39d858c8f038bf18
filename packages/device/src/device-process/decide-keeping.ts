import { backoffMs } from '@farhand/kit/backoff'
import type { BackgroundLink } from './background-links.ts'
import type { LinkStatus } from './device-protocol.ts'

/** How often in a row a folder's thread died unexpectedly, and when. */
export type Deaths = { count: number; at: number; nextAt: number }

export type FolderSeen = {
  kept: BackgroundLink
  url: string
  /** A thread of this process keeps the folder in sync, or another process does, or none. */
  holder: 'thread' | number | null
  /** The status of that thread or process; null if it has said none yet. */
  now: LinkStatus | null
  deaths: Deaths | null
}

export type LinkAction =
  | { do: 'nothing' }
  | { do: 'start' }
  | { do: 'end' }
  | { do: 'give-up'; times: number }
  | { do: 'wait'; until: number }

/** The command that sets a link to live also asks for it, with flags for the first start; this long it has time to. */
const askerMs = 10_000
/** A thread that lived this long was started correctly. */
const longLifeMs = 60_000
const mostDeaths = 6
const again = { firstMs: 1_000, maxMs: 120_000 }

/** Decides what to do about one folder now. */
export function decideKeeping(
  { kept, url, holder, now, deaths }: FolderSeen,
  at: number,
  version: string,
): LinkAction {
  // A link in the user's terminal is left alone.
  const isOurs = holder === 'thread' || now?.isKept === true
  if (kept.is !== 'live') return holder !== null && isOurs ? { do: 'end' } : { do: 'nothing' }
  if (holder !== null) {
    if (!isOurs) return { do: 'nothing' }
    // Older versions have a process for each folder. It is replaced only when in step: the thread begins with a scan.
    const isOld = holder !== 'thread' && now?.doing.is === 'in-step' && !isOlder(version, now.version)
    // The hub's address has changed.
    const hasMoved = now !== null && now.url !== url
    return isOld || hasMoved ? { do: 'end' } : { do: 'nothing' }
  }
  if (deaths && deaths.count >= mostDeaths) return { do: 'give-up', times: deaths.count }
  if (deaths) return at < deaths.nextAt ? { do: 'wait', until: deaths.nextAt } : { do: 'start' }
  const age = at - kept.since
  return age >= 0 && age < askerMs ? { do: 'wait', until: kept.since + askerMs } : { do: 'start' }
}

/** Counts one more death of a thread that lived `livedMs`. */
export function addDeath(before: Deaths | null, livedMs: number, at: number, random = Math.random): Deaths {
  const count = livedMs >= longLifeMs ? 1 : (before?.count ?? 0) + 1
  return { count, at, nextAt: at + backoffMs(count, again, random) }
}

/** Whether one version is older than another; parts are compared as numbers. */
export function isOlder(one: string, other: string): boolean {
  const numbers = (version: string) => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0)
  const [a, b] = [numbers(one), numbers(other)]
  for (const at of [0, 1, 2]) if (a[at] !== b[at]) return (a[at] ?? 0) < (b[at] ?? 0)
  return false
}
