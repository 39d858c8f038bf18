import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'

type Change = Partial<ListedRun>

/**
 * Runs as the hub last listed them, with pending changes of the user applied: an older message of the hub must not
 * undo them. A run is the same object until it changes.
 */
export class KnownRuns {
  readonly #fromHub = new Map<RunId, ListedRun>()
  readonly #shown = new Map<RunId, ListedRun>()
  readonly #pending = new Map<RunId, readonly Change[]>()
  readonly #changedAt = new Map<RunId, number>()
  #count = 0

  /** The run to show, or null if it is unknown. */
  of(run: RunId): ListedRun | null {
    return this.#shown.get(run) ?? null
  }

  /** Counts the changes taken. Read it before asking the hub for runs. */
  get now(): number {
    return this.#count
  }

  /** Takes a change that the hub sent. */
  takeChange(run: ListedRun): void {
    this.#note(run.id)
    this.#take(named(run))
  }

  /** Takes a response to a request that was made at `asked`. A change taken since may be newer, and wins. */
  takeAnswer(run: ListedRun, asked: number): ListedRun {
    if ((this.#changedAt.get(run.id) ?? 0) > asked) return this.of(run.id) ?? run
    return this.#take(named(run))
  }

  /** All runs that changed since then. */
  changedSince(asked: number): ListedRun[] {
    return [...this.#changedAt].flatMap(([run, at]) => {
      const shown = at > asked && this.of(run)
      return shown ? [shown] : []
    })
  }

  /** Shows a change before the hub confirms it; end it with the same object. */
  addPending(run: RunId, change: Change): void {
    this.#pending.set(run, [...(this.#pending.get(run) ?? []), change])
    this.#reapply(run)
  }

  /** The hub has confirmed or refused a change. */
  endPending(run: RunId, change: Change, isDone: boolean): void {
    const left = (this.#pending.get(run) ?? []).filter((one) => one !== change)
    if (left.length > 0) this.#pending.set(run, left)
    else this.#pending.delete(run)
    const fromHub = this.#fromHub.get(run)
    if (fromHub && isDone) {
      // A response that was made before the change must not undo it.
      this.#note(run)
      this.#fromHub.set(run, { ...fromHub, ...change })
    }
    this.#reapply(run)
  }

  #take(run: ListedRun): ListedRun {
    this.#fromHub.set(run.id, run)
    const meant = this.#pending.get(run.id)
    const shown = meant ? Object.assign({}, run, ...meant) : run
    this.#shown.set(run.id, shown)
    return shown
  }

  #reapply(run: RunId): void {
    const fromHub = this.#fromHub.get(run)
    if (fromHub) this.#take(fromHub)
  }

  #note(run: RunId): void {
    this.#count += 1
    this.#changedAt.set(run, this.#count)
  }
}

/** Shows hidden characters in names, because users tell runs apart by them. The same object if there are none. */
function named(run: ListedRun): ListedRun {
  const [title, projectName] = [showHiddenCharacters(run.title), showHiddenCharacters(run.projectName)]
  return title === run.title && projectName === run.projectName ? run : { ...run, title, projectName }
}
