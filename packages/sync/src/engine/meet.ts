import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { compare, needsAWord, sample } from './first-attach.ts'
import type { Ledger } from './ledger.ts'
import type { Entry } from './reconcile.ts'
import type { SyncQuestion } from './sync-notes.ts'

/** What a folder and a run that meet for the first time have to settle: where they differ, and whether to ask. */
export type Met = {
  differ: WorkspacePath[]
  onlyHere: WorkspacePath[]
  onlyThere: WorkspacePath[]
  question: Extract<SyncQuestion, { is: 'first-attach' }> | null
}

/**
 * Compares folder and run. If the run has files, or had some, it is too early until the whole folder has been seen: a
 * file of the folder that is found later and that the run has deleted would be taken for one that is behind.
 */
export function meet({ trees, disk }: Ledger, isScanned: boolean): Met | 'too early' {
  if (trees.hasHadFiles && !isScanned) return 'too early'
  const there = new Map<WorkspacePath, Entry>()
  for (const path of trees.files()) if (!disk.isOutside(path)) there.set(path, trees.log(path))
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
  const compared = compare(here, there)
  // What is here as the run began with it is behind, and contradicts nobody.
  const meeting = { ...compared, differ: compared.differ.filter((path) => disk.seen(path) !== undefined) }
  const { onlyHere, onlyThere, differ } = meeting
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
    question: needsAWord(meeting, here.size, there.size) ? question : null,
  }
}

/**
 * Begins as somebody has answered: where both have a file, one of them counts; the rest goes both ways. What differs is
 * found anew, because folder and run went on while a person thought about it. Nothing is deleted from the run.
 */
export function begin(ledger: Ledger, answer: 'mine' | 'theirs' | 'unasked'): void {
  const met = meet(ledger, true)
  if (met === 'too early') return
  // What this folder does not have, it never had.
  for (const path of met.onlyThere) ledger.agree(path, null)
  for (const path of met.differ) {
    // To know theirs and to prefer mine is an edit of theirs.
    if (answer !== 'theirs') ledger.insist(path)
    else ledger.yieldAt(path)
  }
  // What is only here is this folder's own, even if the run had the same once and deleted it. A sandbox has that from the
  // run: it was restored, and is behind.
  const isOwn = answer === 'mine' || (answer === 'unasked' && ledger.wins === 'disk')
  if (isOwn) for (const path of met.onlyHere) ledger.insist(path)
}
