import type { Survey } from '@farhand/sync/disk/scan/survey'
import type { Suspicious } from './suspicious-files.ts'

export type LookedAt = {
  survey: Survey
  suspicious: readonly Suspicious[]
  /** How many files, older contents and commits should have been scanned but were not. */
  unread?: { files: number; older: number; commits: number }
}

/**
 * What follows from a first look: go on (and show everything, or one line); ask the user; or refuse, because there is
 * no user to ask.
 */
export type FirstLookStep =
  | { do: 'go-on'; leaveOut: readonly string[]; isShown: boolean }
  | { do: 'ask' }
  | { do: 'refuse' }

const manyFiles = 20_000
const manyBytes = 500 * 1024 * 1024

/** The suspicious files that can be left out: if commits are sent, tracked files cannot. */
export const canBeLeftOut = (suspicious: readonly Suspicious[], withCommits: boolean) =>
  suspicious.filter(({ isTracked }) => !isTracked || !withCommits).map(({ path }) => path)

type Said = { secrets: 'send' | 'leave-out' | null; isPersonHere: boolean; withCommits: boolean }

export function decideFirstLook(
  { survey, suspicious }: LookedAt,
  { secrets, isPersonHere, withCommits }: Said,
): FirstLookStep {
  const isMuch = survey.files.length > manyFiles || bytesOf(survey) > manyBytes
  const isShown = suspicious.length > 0
  if (secrets !== null && (isShown || !isMuch))
    return { do: 'go-on', leaveOut: secrets === 'send' ? [] : canBeLeftOut(suspicious, withCommits), isShown }
  if (isPersonHere && (isShown || isMuch)) return { do: 'ask' }
  // Files in commits were committed on purpose; a script need not stop for a test key.
  if (suspicious.some(({ isTracked }) => !isTracked)) return { do: 'refuse' }
  return { do: 'go-on', leaveOut: [], isShown }
}

export const bytesOf = ({ files }: Survey) => files.reduce((sum, { size }) => sum + size, 0)
