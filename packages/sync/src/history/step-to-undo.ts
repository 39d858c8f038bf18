import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** A path that became something else. `before` is undefined where the log never said what was there. */
export type PathChange = {
  path: WorkspacePath
  before: FileEntry | null | undefined
  after: FileEntry | null
}

/** One event that changed files. */
export type RecordedChange = {
  eventId: number
  atMs: number
  by: SeenAuthor
  /** The message whose turn it belongs to, if the agent did it in one. */
  turn: number | null
  turned: readonly PathChange[]
  /** Set if this was an undo itself: what it took back. */
  undoes: Undoes | null
}

/** Events from..to of the author of the first one, or of all authors. */
export type Undoes = { from: number; to: number; everyone?: boolean }

/** What one author did without a pause, and one undo takes back. */
export type Step = {
  from: number
  to: number
  atMs: number
  by: SeenAuthor
  turn: number | null
  /** What each path was before the step, and what the step left there. */
  turned: PathChange[]
}

const longestPauseMs = 2000

type OpenStep = Step & { lastMs: number; byPath: Map<WorkspacePath, PathChange> }

/**
 * The steps of a log that have not been undone, oldest first. A step is what one author did without pausing for more
 * than two seconds, and without the turn of an agent in between; what an agent does in one turn is one step however
 * long it takes.
 */
export function stepsOf(changes: readonly RecordedChange[]): Step[] {
  const steps: OpenStep[] = []
  const open = new Map<string, OpenStep>()
  const undone = undoneBy(changes)
  for (const change of changes) {
    // What is written after an undo is no part of what was undone, however soon it follows.
    if (change.undoes) open.clear()
    if (change.undoes || change.turned.length === 0 || undone(change)) continue
    const author = nameOf(change.by)
    const before = open.get(author)
    const goesOn =
      before &&
      (change.turn === null
        ? before.turn === null && change.atMs - before.lastMs <= longestPauseMs
        : before.turn === change.turn)
    const step = goesOn ? before : begin(change)
    if (!goesOn) {
      // Else an edit that soon follows the first files of a run would be one step with them.
      if (change.turn !== null) for (const [of, { turn }] of open) if (turn === null) open.delete(of)
      steps.push(step)
      open.set(author, step)
    }
    step.to = change.eventId
    step.lastMs = change.atMs
    for (const turned of change.turned) extend(step, turned)
  }
  return steps.map(({ lastMs: _, byPath, ...step }) => ({ ...step, turned: [...byPath.values()] }))
}

/**
 * The newest step that is still to be seen in the tree; null if there is none. The files that a run began with are
 * in no step: to undo them would delete what the user had before. These are the files that were only added before this event.
 */
export function stepToUndo(changes: readonly RecordedChange[], beganBefore = 0): Step | null {
  const isBeginning = ({ eventId, turned, undoes }: RecordedChange) =>
    eventId < beganBefore && !undoes && turned.every(({ before }) => !before)
  return stepsOf(changes.filter((change) => !isBeginning(change))).at(-1) ?? null
}

/** What each path was right after an event, for the paths that have changed since. */
export function sinceEvent(changes: readonly RecordedChange[], eventId: number): PathChange[] {
  const since = new Map<WorkspacePath, PathChange>()
  for (const change of changes) {
    if (change.eventId <= eventId) continue
    for (const { path, before, after } of change.turned) {
      const first = since.get(path)
      since.set(path, { path, before: first ? first.before : before, after })
    }
  }
  return [...since.values()].filter(({ before, after }) => before === undefined || !sameEntry(before, after))
}

/** What to do about each path so that it is again what it was: put back, or leave alone and say why. */
export function planRevert(
  turned: readonly PathChange[],
  now: (path: WorkspacePath) => FileEntry | null | undefined,
): { back: PathChange[]; leftAlone: LeftAlone[] } {
  const back: PathChange[] = []
  const leftAlone: LeftAlone[] = []
  for (const { path, before, after } of turned) {
    const current = now(path)
    if (current === undefined || !sameEntry(current, after)) {
      // It is back already.
      if (before !== undefined && current !== undefined && sameEntry(current, before)) continue
      leftAlone.push({ path, why: 'changed-since' })
    } else if (before === undefined) leftAlone.push({ path, why: 'unknown-before' })
    else if (!sameEntry(before, after)) back.push({ path, before, after })
  }
  return { back, leftAlone }
}

/** A path that an undo does not touch: changed again meanwhile, or what it was is not known or no longer stored. */
export type LeftAlone = { path: WorkspacePath; why: 'changed-since' | 'unknown-before' | 'expired' }

function begin({ eventId, atMs, by, turn }: RecordedChange): OpenStep {
  return { from: eventId, to: eventId, atMs, by, turn, turned: [], lastMs: atMs, byPath: new Map() }
}

// If another author changed the file in between, that author's version is the one to go back to.
function extend(step: OpenStep, { path, before, after }: PathChange): void {
  const earlier = step.byPath.get(path)
  const follows = earlier && before !== undefined && sameEntry(earlier.after, before)
  step.byPath.set(path, { path, before: follows ? earlier.before : before, after })
}

/** Whether an event was taken back, by an undo that was not taken back itself. */
function undoneBy(changes: readonly RecordedChange[]): (change: RecordedChange) => boolean {
  const authors = new Map(changes.map((change) => [change.eventId, nameOf(change.by)]))
  const inForce: Undoes[] = []
  const covers = ({ from, to }: Undoes, { eventId }: RecordedChange) => from <= eventId && eventId <= to
  // From the newest: only then is it known whether an undo is still in force.
  for (const change of changes.toReversed()) {
    if (change.undoes && !inForce.some((undoes) => undoes.everyone && covers(undoes, change)))
      inForce.push(change.undoes)
  }
  return (change) =>
    inForce.some(
      (undoes) =>
        covers(undoes, change) && (undoes.everyone || authors.get(undoes.from) === nameOf(change.by)),
    )
}

function nameOf(by: SeenAuthor): string {
  if (by.kind === 'runner') return `runner ${by.generation}`
  return 'id' in by ? `${by.kind} ${by.id}` : by.kind
}
