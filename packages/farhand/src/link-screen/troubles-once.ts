import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { WaitingFiles, type WhyWaiting } from './waiting-files.ts'

/** Keeps what is tried again and again from being told with every try: once until it is over, or something else is wrong. */
export class TroublesOnce {
  readonly #waiting: WaitingFiles[]
  /** What was last said of each path, which has no waiting of its own. */
  readonly #said = new Map<string | null, string>()

  constructor(folder: string, say: (line: string) => void) {
    this.#waiting = whys(folder).map((why) => new WaitingFiles(why, say))
  }

  /** Whether a note has been told, or will be, and needs no line of its own. */
  take(note: SyncNote): boolean {
    // Each of them hears it: a file that comes may have waited for one thing after the other.
    const isWaiting = this.#waiting.filter((files) => files.take(note)).length > 0
    if (note.is === 'in-step') this.#said.clear()
    if (note.is === 'applied' || note.is === 'sent') this.#said.delete(note.path)
    if (note.is !== 'trouble' || isWaiting) return isWaiting
    if (this.#said.get(note.path) === note.why) return true
    this.#said.set(note.path, note.why)
    return false
  }

  /** Says what has been gathered. */
  tell(): void {
    for (const files of this.#waiting) files.tell()
  }
}

const whys = (folder: string): WhyWaiting[] => [
  {
    codes: ['ENOSPC', 'EDQUOT'],
    says: `No room left on the disk of ${folder}`,
    next: (files) => `Free some space; ${files === 1 ? 'it is' : 'they are'} tried again.`,
    over: 'There is room again.',
  },
  { codes: ['EACCES', 'EPERM'], says: `This user may not write everywhere in ${folder}`, ...closed },
  { codes: ['EROFS'], says: `The disk of ${folder} is mounted read-only`, ...closed },
]

const closed = {
  next: () => 'Let it be written; what waits is tried again.',
  over: 'It can be written again.',
}
