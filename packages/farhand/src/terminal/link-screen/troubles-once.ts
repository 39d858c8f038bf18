import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { WaitingFiles, type WhyWaiting } from './waiting-files.ts'

/** Shows a trouble that is tried again and again only once, until it is over or something else is wrong. */
export class TroublesOnce {
  readonly #waiting: WaitingFiles[]
  /** The last trouble shown for each path. */
  readonly #said = new Map<string | null, string>()

  constructor(folder: string, say: (line: string) => void) {
    this.#waiting = whys(folder).map((why) => new WaitingFiles(why, say))
  }

  /** Takes a note; returns true if it needs no line of its own. */
  take(note: SyncNote): boolean {
    // Each of them takes the note: a file may have waited for several reasons, one after the other.
    const isWaiting = this.#waiting.filter((files) => files.take(note)).length > 0
    if (note.is === 'in-step') this.#said.clear()
    if (note.is === 'applied' || note.is === 'sent') this.#said.delete(note.path)
    if (note.is !== 'trouble' || isWaiting) return isWaiting
    if (this.#said.get(note.path) === note.why) return true
    this.#said.set(note.path, note.why)
    return false
  }

  /** Prints the troubles gathered so far. */
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
