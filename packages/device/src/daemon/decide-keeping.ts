import { backoffMs } from '@farhand/kit/backoff'
import type { BackgroundLink, LinkStatus } from './background-links.ts'

/** How often in a row what keeps a folder has died without a word, and when it last did. */
export type Deaths = { count: number; at: number; nextAt: number }

export type FolderSeen = {
  kept: BackgroundLink
  /** The hub that it is linked to. */
  url: string
  /** The process that has the folder, or is about to. */
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

/** Whoever wants a folder to be kept starts it; for this long nobody else does. */
const starterMs = 10_000
/** What has lived for this long did not die of how it was started. */
const longLifeMs = 60_000
const mostDeaths = 6
const again = { firstMs: 1_000, maxMs: 120_000 }

/** What there is to do about one folder now. */
export function decideKeeping(
  { kept, url, holder, now, deaths }: FolderSeen,
  at: number,
  version: string,
): LinkAction {
  if (kept.is !== 'live') {
    // Somebody may keep it in a terminal of their own: that is theirs.
    return holder !== null && now?.isKept ? { do: 'end', pid: holder } : { do: 'nothing' }
  }
  if (holder !== null) {
    if (!now?.isKept) return { do: 'nothing' }
    // Only when nothing is under way: the next one begins with a look at every file.
    const isOld = now.doing.is === 'in-step' && isOlder(now.version, version)
    // A hub that has moved is looked for in vain where it was.
    return isOld || now.url !== url ? { do: 'end', pid: holder } : { do: 'nothing' }
  }
  if (deaths && deaths.count >= mostDeaths) return { do: 'give-up', times: deaths.count }
  if (deaths) return at < deaths.nextAt ? { do: 'wait', until: deaths.nextAt } : { do: 'start' }
  const age = at - kept.since
  return age >= 0 && age < starterMs ? { do: 'wait', until: kept.since + starterMs } : { do: 'start' }
}

/** One more death, of what had lived for so long. */
export function addDeath(before: Deaths | null, livedMs: number, at: number, random = Math.random): Deaths {
  const count = livedMs >= longLifeMs ? 1 : (before?.count ?? 0) + 1
  return { count, at, nextAt: at + backoffMs(count, again, random) }
}

/** Whether one version comes before another, as numbers and not as letters. */
export function isOlder(one: string, other: string): boolean {
  const numbers = (version: string) => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0)
  const [a, b] = [numbers(one), numbers(other)]
  for (const at of [0, 1, 2]) if (a[at] !== b[at]) return (a[at] ?? 0) < (b[at] ?? 0)
  return false
}
