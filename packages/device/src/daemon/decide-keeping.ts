import { backoffMs } from '@farhand/kit/backoff'
import type { BackgroundLink, LinkStatus } from './background-links.ts'

/** How often in a row a folder's link process died unexpectedly, and when. */
export type Deaths = { count: number; at: number; nextAt: number }

export type FolderSeen = {
  kept: BackgroundLink
  url: string
  /** The process that has the folder, or will have it soon. */
  holder: number | null
  now: LinkStatus | null
  deaths: Deaths | null
}

export type LinkAction =
  | { do: 'nothing' }
  | { do: 'start' }
  | { do: 'end'; pid: number }
  | { do: 'give-up'; times: number }
  | { do: 'wait'; until: number }

/** The command that sets a link to live also starts it; for this long the daemon does not. */
const starterMs = 10_000
/** A process that lived this long was started correctly. */
const longLifeMs = 60_000
const mostDeaths = 6
const again = { firstMs: 1_000, maxMs: 120_000 }

/** Decides what to do about one folder now. */
export function decideKeeping(
  { kept, url, holder, now, deaths }: FolderSeen,
  at: number,
  version: string,
): LinkAction {
  if (kept.is !== 'live') {
    // A link in the user's terminal is left alone.
    return holder !== null && now?.isKept ? { do: 'end', pid: holder } : { do: 'nothing' }
  }
  if (holder !== null) {
    if (!now?.isKept) return { do: 'nothing' }
    // An old version is replaced only when in step: the next process begins with a scan of all files.
    const isOld = now.doing.is === 'in-step' && isOlder(now.version, version)
    // The hub's address has changed.
    return isOld || now.url !== url ? { do: 'end', pid: holder } : { do: 'nothing' }
  }
  if (deaths && deaths.count >= mostDeaths) return { do: 'give-up', times: deaths.count }
  if (deaths) return at < deaths.nextAt ? { do: 'wait', until: deaths.nextAt } : { do: 'start' }
  const age = at - kept.since
  return age >= 0 && age < starterMs ? { do: 'wait', until: kept.since + starterMs } : { do: 'start' }
}

/** Counts one more death of a process that lived `livedMs`. */
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
