import type { Skip } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import type { BackgroundLinks, LinkStatus } from './background-links.ts'

type Doing = LinkStatus['doing']

/** The state of a link: its work, and whether the hub can be reached. */
export type LinkState = {
  work: Doing
  away: Extract<Doing, { is: 'offline' }> | null
  /** Files that are not synced although no rule excludes them, by path. */
  skipped?: ReadonlyMap<string, Skip['why']>
}

const mostKept = 1_000
const mostNamed = 50

// Often enough for `status`; a folder in use changes all the time.
const everyMs = 1_000

/** The state after a note of the sync engine. */
export function stateAfter(before: LinkState, note: SyncNote): LinkState {
  switch (note.is) {
    case 'in-step':
      return { ...before, work: { is: 'in-step', files: note.files } }
    case 'progress': {
      const { toSend, toApply } = note
      return toSend + toApply === 0 ? before : { ...before, work: { is: 'busy', toSend, toApply } }
    }
    case 'connection': {
      const { state } = note
      // Reconnecting does not change the state.
      if (state.is === 'connecting') return before
      const isAway = state.is === 'offline' && !state.listening
      return { ...before, away: isAway ? { is: 'offline', why: state.why } : null }
    }
    case 'skipped': {
      const { path, why } = note.skip
      if (why === 'ignored') return without(before, path)
      if ((before.skipped?.size ?? 0) >= mostKept) return before
      return { ...before, skipped: new Map(before.skipped).set(path, why) }
    }
    case 'sent':
    case 'applied':
      return without(before, note.path)
    default:
      return before
  }
}

function without(before: LinkState, path: string): LinkState {
  if (!before.skipped?.has(path)) return before
  const skipped = new Map(before.skipped)
  skipped.delete(path)
  return { ...before, skipped }
}

type Who = Pick<LinkStatus, 'version' | 'url' | 'isKept'>

/** Writes the status of a link to its state folder, at most once per second. */
export class LinkStatusWriter {
  readonly #write: (now: LinkStatus) => void
  readonly #who: Who
  #standing: LinkState = { work: { is: 'starting' }, away: null }
  #since = Date.now()
  #saidAt = 0
  #later: NodeJS.Timeout | null = null

  constructor(folder: string, folders: BackgroundLinks, who: Who) {
    this.#write = (now) => folders.writeStatus(folder, now)
    this.#who = who
    this.#say()
  }

  note(note: SyncNote): void {
    const before = this.#standing
    this.#standing = stateAfter(before, note)
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
      const doing = doingOf(this.#standing)
      const skipped = skippedOf(this.#standing)
      this.#write({ ...this.#who, pid: process.pid, since: this.#since, doing, ...(skipped && { skipped }) })
    } catch {
      // A full disk, or a deleted state folder: the sync itself goes on.
    }
  }
}

function skippedOf({ skipped = new Map() }: LinkState): LinkStatus['skipped'] {
  if (skipped.size === 0) return undefined
  const some = [...skipped].slice(0, mostNamed).map(([path, why]) => ({ path, why }))
  return { count: skipped.size, some }
}

const doingOf = ({ work, away }: LinkState): Doing => away ?? work
