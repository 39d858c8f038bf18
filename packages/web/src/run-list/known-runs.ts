import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'

type Change = Partial<ListedRun>

/**
 * Runs as the hub last told of each, with what somebody here has asked for since: whatever is told before the hub has
 * that does not make it vanish again. A run is the same object until something of it changes.
 */
export class KnownRuns {
  readonly #fromHub = new Map<RunId, ListedRun>()
  readonly #shown = new Map<RunId, ListedRun>()
  readonly #pending = new Map<RunId, readonly Change[]>()
  readonly #heardAt = new Map<RunId, number>()
  #count = 0

  /** How the run is to be shown, if anything was ever heard of it. */
  of(run: RunId): ListedRun | null {
    return this.#shown.get(run) ?? null
  }

  /** Grows with each change that is heard; whoever asks the hub for runs notes it before. */
  get now(): number {
    return this.#count
  }

  /** Takes a change as the hub tells of it. */
  takeChange(run: ListedRun): void {
    this.#note(run.id)
    this.#take(named(run))
  }

  /** Takes an answer of the hub that was asked for at `asked`. What was heard meanwhile may be newer, and stays. */
  takeAnswer(run: ListedRun, asked: number): ListedRun {
    if ((this.#heardAt.get(run.id) ?? 0) > asked) return this.of(run.id) ?? run
    return this.#take(named(run))
  }

  /** All that was heard of since then. */
  heardSince(asked: number): ListedRun[] {
    return [...this.#heardAt].flatMap(([run, at]) => {
      const shown = at > asked && this.of(run)
      return shown ? [shown] : []
    })
  }

  /** Shows a change that the hub is being asked for; it is settled with the same object. */
  addPending(run: RunId, change: Change): void {
    this.#pending.set(run, [...(this.#pending.get(run) ?? []), change])
    this.#again(run)
  }

  /** The hub has made a change its own, or has refused it. */
  endPending(run: RunId, change: Change, isDone: boolean): void {
    const left = (this.#pending.get(run) ?? []).filter((one) => one !== change)
    if (left.length > 0) this.#pending.set(run, left)
    else this.#pending.delete(run)
    const told = this.#fromHub.get(run)
    if (told && isDone) {
      // A page that was made before it must not take it back.
      this.#note(run)
      this.#fromHub.set(run, { ...told, ...change })
    }
    this.#again(run)
  }

  #take(run: ListedRun): ListedRun {
    this.#fromHub.set(run.id, run)
    const meant = this.#pending.get(run.id)
    const shown = meant ? Object.assign({}, run, ...meant) : run
    this.#shown.set(run.id, shown)
    return shown
  }

  #again(run: RunId): void {
    const told = this.#fromHub.get(run)
    if (told) this.#take(told)
  }

  #note(run: RunId): void {
    this.#count += 1
    this.#heardAt.set(run, this.#count)
  }
}

/** Names are told apart by what people see of them: what would turn or hide letters is written out. The same object where it has none. */
function named(run: ListedRun): ListedRun {
  const [title, projectName] = [showHiddenCharacters(run.title), showHiddenCharacters(run.projectName)]
  return title === run.title && projectName === run.projectName ? run : { ...run, title, projectName }
}
