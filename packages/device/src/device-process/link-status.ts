import type { Skip } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import type { LinkStatus } from './device-protocol.ts'

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

/** Reports the status of a link whenever it changes, but not more often than `everyMs`: a folder in use changes all the time. */
export class LinkStatusReports {
  readonly #report: (status: LinkStatus) => void
  readonly #who: Who
  readonly #everyMs: number
  #state: LinkState = { work: { is: 'starting' }, away: null }
  #since = Date.now()
  #reportedAt = 0
  #later: NodeJS.Timeout | null = null

  constructor(who: Who, everyMs: number, report: (status: LinkStatus) => void) {
    this.#report = report
    this.#who = who
    this.#everyMs = everyMs
    this.#say()
  }

  note(note: SyncNote): void {
    const before = this.#state
    this.#state = stateAfter(before, note)
    if (this.#state === before) return
    if (doingOf(before).is !== doingOf(this.#state).is) this.#since = Date.now()
    const waitMs = this.#reportedAt + this.#everyMs - performance.now()
    if (waitMs <= 0 && !this.#later) this.#say()
    else this.#later ??= setTimeout(() => this.#say(), waitMs).unref()
  }

  end(): void {
    if (this.#later) clearTimeout(this.#later)
  }

  #say(): void {
    this.#later = null
    this.#reportedAt = performance.now()
    try {
      const doing = doingOf(this.#state)
      const skipped = skippedOf(this.#state)
      this.#report({ ...this.#who, pid: process.pid, since: this.#since, doing, ...(skipped && { skipped }) })
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
