import type { Survey } from '@farhand/sync/disk/scan/survey'
import type { Suspicious } from './suspicious-files.ts'

export type LookedAt = {
  survey: Survey
  suspicious: readonly Suspicious[]
  /** How many files, contents of older commits, and commits were worth a look and did not get it. */
  unread?: { files: number; older: number; commits: number }
}

/** What follows from a first look: go on and say so in a line; show everything and ask; or end, as nobody can be asked. */
export type FirstLookStep =
  | { do: 'go-on'; leaveOut: readonly string[]; isShown: boolean }
  | { do: 'ask' }
  | { do: 'refuse' }

const manyFiles = 20_000
const manyBytes = 500 * 1024 * 1024

/** The suspicious files that could stay here: where commits go along, what is in them goes with them. */
export const canStay = (suspicious: readonly Suspicious[], withCommits: boolean) =>
  suspicious.filter(({ isTracked }) => !isTracked || !withCommits).map(({ path }) => path)

type Said = { secrets: 'send' | 'leave-out' | null; isPersonHere: boolean; withCommits: boolean }

/** Decides what becomes of a folder that is about to be sent for the first time. */
export function decideFirstLook(
  { survey, suspicious }: LookedAt,
  { secrets, isPersonHere, withCommits }: Said,
): FirstLookStep {
  const isMuch = survey.files.length > manyFiles || bytesOf(survey) > manyBytes
  const isShown = suspicious.length > 0
  if (secrets !== null && (isShown || !isMuch))
    return { do: 'go-on', leaveOut: secrets === 'send' ? [] : canStay(suspicious, withCommits), isShown }
  if (isPersonHere && (isShown || isMuch)) return { do: 'ask' }
  // Of what is in commits somebody has decided before; a script need not stop for the key of a test.
  if (suspicious.some(({ isTracked }) => !isTracked)) return { do: 'refuse' }
  return { do: 'go-on', leaveOut: [], isShown }
}

export const bytesOf = ({ files }: Survey) => files.reduce((sum, { size }) => sum + size, 0)
