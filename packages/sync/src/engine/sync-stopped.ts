import type { SyncQuestion } from './sync-notes.ts'

/** The sync of a folder has ended, although nothing was wrong with the run. */
export class SyncStopped extends Error {
  readonly why: 'answer' | 'root-missing' | 'root-replaced' | 'other-log'

  private constructor(why: SyncStopped['why'], message: string, cause?: unknown) {
    super(message, { cause })
    this.why = why
  }

  static answer({ is }: SyncQuestion): SyncStopped {
    return new SyncStopped('answer', `stopped by the user at the question ${is}`)
  }

  static root(how: 'missing' | 'replaced'): SyncStopped {
    const what = how === 'missing' ? 'is gone' : 'was replaced by another folder'
    return new SyncStopped(`root-${how}`, `the linked folder ${what}; nothing was deleted from the run`)
  }

  static otherLog(cause: Error): SyncStopped {
    return new SyncStopped('other-log', "the run's log is not the one this folder was linked to", cause)
  }
}
