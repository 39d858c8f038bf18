import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Entry } from './reconcile.ts'

const mostShown = 20

export type Meeting = {
  onlyHere: WorkspacePath[]
  onlyThere: WorkspacePath[]
  differ: WorkspacePath[]
}

/** What is different between a folder and a run that meet for the first time (S11). */
export function compare(
  here: ReadonlyMap<WorkspacePath, Entry>,
  there: ReadonlyMap<WorkspacePath, Entry>,
): Meeting {
  const meeting: Meeting = { onlyHere: [], onlyThere: [], differ: [] }
  for (const [path, entry] of here) {
    const other = there.get(path) ?? null
    if (other === null) meeting.onlyHere.push(path)
    else if (!sameEntry(entry, other)) meeting.differ.push(path)
  }
  for (const path of there.keys()) if (!here.has(path)) meeting.onlyThere.push(path)
  return meeting
}

/** Whether a person has to say which side counts: not if one side has nothing, nor if both have the same. */
export function needsAWord({ onlyHere, onlyThere, differ }: Meeting, here: number, there: number): boolean {
  if (here === 0 || there === 0) return false
  return onlyHere.length + onlyThere.length + differ.length > 0
}

/** How many, and some to show. */
export function sample(paths: Iterable<WorkspacePath>): { count: number; some: WorkspacePath[] } {
  const all = [...paths]
  return { count: all.length, some: all.slice(0, mostShown) }
}
