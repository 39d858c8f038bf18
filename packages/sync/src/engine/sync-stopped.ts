import type { SyncQuestion } from './sync-notes.ts'

/** Why a folder is not kept in sync any more, although nothing was wrong with the run. */
export class SyncStopped extends Error {
  readonly why: 'answer' | 'root-missing' | 'root-replaced' | 'other-log'

  private constructor(why: SyncStopped['why'], message: string, cause?: unknown) {
    super(message, { cause })
    this.why = why
  }

  static answer({ is }: SyncQuestion): SyncStopped {
    return new SyncStopped('answer', `stopped at the question ${is}`)
  }

  static root(how: 'missing' | 'replaced'): SyncStopped {
    const what = how === 'missing' ? 'is gone' : 'is another one now'
    return new SyncStopped(`root-${how}`, `the linked folder ${what}; nothing was deleted in the run`)
  }

  static otherLog(cause: Error): SyncStopped {
    return new SyncStopped('other-log', "the run's log is not the one this folder knew", cause)
  }
}
