import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the user decided when a folder was about to be sent for the first time. */
export type FirstLook = {
  /** The hubs that it may be sent to without another look. */
  hubs: string[]
  /** Paths that stay on this machine. */
  leftOut: string[]
  /** Paths that a link held back and the user allowed to be sent; a folder ends in a slash. */
  allowed: string[]
  /** By hub, in what the commits end that may be sent to it without another look. */
  commits: Record<string, string[]>
}

/** What was decided for the folder that keeps its state here; nothing if the user was not asked yet. */
export function readFirstLook(place: string): FirstLook {
  try {
    const { hubs, leftOut, allowed, commits } = JSON.parse(readFileSync(firstLookFile(place), 'utf8'))
    // Older ones have none.
    const looked = Object.entries(commits ?? {}).map(([hub, tips]) => [hub, texts(tips)] as const)
    return {
      hubs: texts(hubs),
      leftOut: texts(leftOut),
      allowed: texts(allowed),
      commits: Object.fromEntries(looked),
    }
  } catch {
    // Not asked yet. One that cannot be read is asked for again.
    return { hubs: [], leftOut: [], allowed: [], commits: {} }
  }
}

/** Remembers a decision; a crash meanwhile leaves the one before. */
export function saveFirstLook(place: string, look: FirstLook): void {
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const draft = `${firstLookFile(place)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(look)}\n`, { mode: 0o600 })
  renameSync(draft, firstLookFile(place))
}

/** Where that is remembered. */
export const firstLookFile = (place: string) => join(place, 'first-look.json')

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
