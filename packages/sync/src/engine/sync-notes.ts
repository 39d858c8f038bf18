import type { FileEntry, KeptWhy } from '@farhand/protocol/methods/files'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Conflict } from './conflicts.ts'
import type { Skip } from './disk-folder.ts'
import type { Connection } from './hub-folder.ts'
import type { Transferred } from './transfer-progress.ts'

export type Deed = 'created' | 'modified' | 'deleted'

/** What happens in a linked folder, for the terminal and for status reports. */
export type SyncNote =
  | { is: 'connection'; state: Connection }
  | { is: 'scanning'; files: number; bytes: number; done: boolean }
  /**
   * What is still to be sent and to be written here, and what has been, since it was last nothing. `up` and `down` are
   * how far those large contents are that are on their way now.
   */
  | {
      is: 'progress'
      toSend: number
      sent: number
      toApply: number
      applied: number
      up?: Transferred
      down?: Transferred
    }
  /** A change made here is in the log, as this event. */
  | { is: 'sent'; path: WorkspacePath; deed: Deed; eventId: number }
  /** A change made elsewhere is on this disk. */
  | { is: 'applied'; path: WorkspacePath; deed: Deed; by: SeenAuthor | null }
  /** What was on this disk was overwritten, and can be restored. */
  | { is: 'kept'; path: WorkspacePath; entry: FileEntry; why: KeptWhy; eventId: number }
  /** One side had not seen what the other had written into the log, and this folder is one of the two (S2). */
  | ({ is: 'conflict'; here: 'won' | 'lost' } & Conflict)
  /** Not synced; reported once for each path and reason. `inRun` if the run has a file of that name anyway. */
  | { is: 'skipped'; skip: Skip; inRun?: boolean }
  | { is: 'blind'; why: string }
  /** Something could not be done now and is tried again; `code` is what the system called it, if it did. */
  | { is: 'trouble'; path: WorkspacePath | null; why: string; code?: string }
  /**
   * Folder and run are in sync, as far as is known here, except for the files that are `waiting`: they
   * could not be written, because something that is not synced is in their way. Except also for those `leftOut`:
   * the run has them, and this folder skips them. What is `onlyHere` is skipped without being in the run.
   */
  | { is: 'in-step'; files: number; cursor: number; waiting: number; leftOut: number; onlyHere: number }

/** What only the user may decide. */
export type SyncQuestion =
  /** The folder is attached to the run for the first time, and both have files (S11). */
  | { is: 'first-attach'; onlyHere: Sample; onlyThere: Sample; differ: Sample }
  /** More was deleted than users delete on purpose (S13). `before` counts what was sent earlier in the same burst. */
  | { is: 'vanished'; gone: Sample; of: number; before: number; all: boolean }
  /** The folder's own HEAD moved, and this would look like edits (S14). */
  | { is: 'head-moved'; changes: Sample }

/** How many paths, and some of them to show. */
export type Sample = { count: number; some: WorkspacePath[] }

const mostShown = 20

/** A sample of these paths. */
export function sample(paths: Iterable<WorkspacePath>): Sample {
  const all = [...paths]
  return { count: all.length, some: all.slice(0, mostShown) }
}

export type SyncAnswer<Question extends SyncQuestion = SyncQuestion> = {
  'first-attach': 'mine' | 'theirs' | 'stop'
  vanished: 'delete' | 'bring-back' | 'stop'
  'head-moved': 'send' | 'stop'
}[Question['is']]

/** Asks the user. The signal is aborted when the question needs no answer any more, or the sync has ended. */
export type Ask = <Question extends SyncQuestion>(
  question: Question,
  signal: AbortSignal,
) => Promise<SyncAnswer<Question>>
