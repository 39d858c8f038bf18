import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Ledger } from './ledger.ts'
import type { Entry } from './reconcile.ts'
import { type SyncQuestion, sample } from './sync-notes.ts'

/** Where a folder and its run differ at the first attach, and what to ask the user. */
type FirstAttach = {
  differ: WorkspacePath[]
  onlyHere: WorkspacePath[]
  onlyThere: WorkspacePath[]
  question: Extract<SyncQuestion, { is: 'first-attach' }> | null
}

/**
 * Compares folder and run. If the run has files, or had some, it is too early until the whole folder has been seen: a
 * file of the folder that is found later and that the run has deleted would be taken for one that is behind.
 */
export function compareAtFirstAttach({ trees, disk }: Ledger, isScanned: boolean): FirstAttach | 'too early' {
  if (trees.hasHadFiles && !isScanned) return 'too early'
  const there = new Map<WorkspacePath, Entry>()
  for (const path of trees.files()) if (!disk.isSkipped(path)) there.set(path, trees.log(path))
  const here = new Map<WorkspacePath, Entry>()
  for (const path of there.keys()) {
    const agreed = trees.agreed(path)
    if (agreed) here.set(path, agreed)
  }
  let dirty = 0
  for (const { path, entry } of disk.dirty()) {
    dirty += 1
    if (entry) here.set(path, entry)
    else here.delete(path)
  }
  // A folder that is exactly what the run began with is only behind.
  if (dirty === 0) return { differ: [], onlyHere: [], onlyThere: [], question: null }
  const compared = differencesBetween(here, there)
  // What is here as the run began with it is only behind, and no contradiction.
  const differences = { ...compared, differ: compared.differ.filter((path) => disk.seen(path) !== undefined) }
  const { onlyHere, onlyThere, differ } = differences
  const question = {
    is: 'first-attach' as const,
    onlyHere: sample(onlyHere),
    onlyThere: sample(onlyThere),
    differ: sample(differ),
  }
  return {
    differ,
    onlyHere,
    onlyThere,
    question: needsAnswer(differences, here.size, there.size) ? question : null,
  }
}

/**
 * Begins as the user has answered: where both have a file, one of them counts; the rest goes both ways. What differs is
 * found anew, because folder and run may have changed while the user was thinking. Nothing is deleted from the run.
 */
export function agreeAtFirstAttach(ledger: Ledger, answer: 'mine' | 'theirs' | 'unasked'): void {
  const found = compareAtFirstAttach(ledger, true)
  if (found === 'too early') return
  // A file that this folder lacks was not deleted here.
  for (const path of found.onlyThere) ledger.agree(path, null)
  for (const path of found.differ) {
    // A user who keeps their own version has edited the run's version.
    if (answer !== 'theirs') ledger.preferDisk(path)
    else ledger.preferLog(path)
  }
  // What is only here is this folder's own, even if the run had the same once and deleted it. A sandbox has that from the
  // run: it was restored, and is behind.
  const isOwn = answer === 'mine' || (answer === 'unasked' && ledger.wins === 'disk')
  if (isOwn) for (const path of found.onlyHere) ledger.preferDisk(path)
}

type Differences = {
  onlyHere: WorkspacePath[]
  onlyThere: WorkspacePath[]
  differ: WorkspacePath[]
}

/** The differences between a folder and its run at the first attach (S11). */
export function differencesBetween(
  here: ReadonlyMap<WorkspacePath, Entry>,
  there: ReadonlyMap<WorkspacePath, Entry>,
): Differences {
  const differences: Differences = { onlyHere: [], onlyThere: [], differ: [] }
  for (const [path, entry] of here) {
    const other = there.get(path) ?? null
    if (other === null) differences.onlyHere.push(path)
    else if (!sameEntry(entry, other)) differences.differ.push(path)
  }
  for (const path of there.keys()) if (!here.has(path)) differences.onlyThere.push(path)
  return differences
}

/** Whether the user has to say which side counts: not if one side is empty, nor if both are the same. */
export function needsAnswer(
  { onlyHere, onlyThere, differ }: Differences,
  here: number,
  there: number,
): boolean {
  if (here === 0 || there === 0) return false
  return onlyHere.length + onlyThere.length + differ.length > 0
}
