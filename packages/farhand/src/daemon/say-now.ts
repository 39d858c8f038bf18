import type { FolderNow, KeptFolders } from '@farhand/device/daemon/kept-folders'
import type { SyncNote } from '@farhand/sync/sync-notes'

type Doing = FolderNow['doing']

/** How a folder is: what there is to do, and whether the hub can be reached for that. */
export type Standing = { work: Doing; away: Extract<Doing, { is: 'offline' }> | null }

// Nobody looks more often, and a folder that is worked in changes all the time.
const everyMs = 1_000

/** How a folder is after a note about it. */
export function standingAfter(before: Standing, note: SyncNote): Standing {
  switch (note.is) {
    case 'in-step':
      return { ...before, work: { is: 'in-step', files: note.files } }
    case 'progress': {
      const { toSend, toApply } = note
      return toSend + toApply === 0 ? before : { ...before, work: { is: 'busy', toSend, toApply } }
    }
    case 'connection': {
      const { state } = note
      // While it only connects anew, what was true before is as true as anything.
      if (state.is === 'connecting') return before
      const isAway = state.is === 'offline' && !state.listening
      return { ...before, away: isAway ? { is: 'offline', why: state.why } : null }
    }
    default:
      return before
  }
}

type Who = Pick<FolderNow, 'version' | 'url' | 'isKept'>

/** Writes down how a folder is, for whoever asks; it may be a second late. */
export class SayNow {
  readonly #write: (now: FolderNow) => void
  readonly #who: Who
  #standing: Standing = { work: { is: 'starting' }, away: null }
  #since = Date.now()
  #saidAt = 0
  #later: NodeJS.Timeout | null = null

  constructor(folder: string, folders: KeptFolders, who: Who) {
    this.#write = (now) => folders.say(folder, now)
    this.#who = who
    this.#say()
  }

  note(note: SyncNote): void {
    const before = this.#standing
    this.#standing = standingAfter(before, note)
    if (this.#standing === before) return
    if (doingOf(before).is !== doingOf(this.#standing).is) this.#since = Date.now()
    const waitMs = this.#saidAt + everyMs - performance.now()
    if (waitMs <= 0 && !this.#later) this.#say()
    else this.#later ??= setTimeout(() => this.#say(), waitMs).unref()
  }

  end(): void {
    if (this.#later) clearTimeout(this.#later)
  }

  #say(): void {
    this.#later = null
    this.#saidAt = performance.now()
    try {
      this.#write({ ...this.#who, pid: process.pid, since: this.#since, doing: doingOf(this.#standing) })
    } catch {
      // A full disk, or a state folder that is gone: the folder itself is what counts.
    }
  }
}

const doingOf = ({ work, away }: Standing): Doing => away ?? work
