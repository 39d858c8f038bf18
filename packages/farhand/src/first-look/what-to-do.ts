import type { Survey } from '@farhand/sync/disk/survey'
import type { Suspicious } from './suspicious-files.ts'

export type Looked = { survey: Survey; suspicious: readonly Suspicious[] }

/** What follows from a first look: go on and say so in a line; show everything and ask; or end, as nobody can be asked. */
export type ToDo =
  | { do: 'go-on'; leaveOut: readonly string[]; isShown: boolean }
  | { do: 'ask' }
  | { do: 'refuse' }

const manyFiles = 20_000
const manyBytes = 500 * 1024 * 1024

/** The suspicious files that could stay here: one that git has goes along with the commits it is in. */
export const canStay = (suspicious: readonly Suspicious[]) =>
  suspicious.filter(({ isTracked }) => !isTracked).map(({ path }) => path)

/** Decides what becomes of a folder that is about to be sent for the first time. */
export function whatToDo(
  { survey, suspicious }: Looked,
  { secrets, isPersonHere }: { secrets: 'send' | 'leave-out' | null; isPersonHere: boolean },
): ToDo {
  const stay = canStay(suspicious)
  const bytes = bytesOf(survey)
  const isMuch = survey.files.length > manyFiles || bytes > manyBytes
  if (secrets !== null && (suspicious.length > 0 || !isMuch))
    return { do: 'go-on', leaveOut: secrets === 'send' ? [] : stay, isShown: suspicious.length > 0 }
  if (isPersonHere && (suspicious.length > 0 || isMuch)) return { do: 'ask' }
  // Of what is in commits somebody has decided before; a script need not stop for the key of a test.
  if (stay.length > 0) return { do: 'refuse' }
  return { do: 'go-on', leaveOut: [], isShown: suspicious.length > 0 }
}

export const bytesOf = ({ files }: Survey) => files.reduce((sum, { size }) => sum + size, 0)
