import { isEvent } from '@farhand/protocol/events/event-names'
import { GitCommit } from '@farhand/protocol/methods/git'
import { Moved } from '@farhand/protocol/methods/lifecycle'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** A base or checkpoint that the workspace can be restored from. */
export type RestorePoint = GitCommit & {
  kind: 'base' | 'checkpoint'
  bundle: NonNullable<GitCommit['bundle']>
  upTo: number
}

/** Every 16th checkpoint repeats what the 15 before it brought, so that a restore needs few bundles. */
const step = 16

/**
 * The bases and checkpoints in a log, and which bundles a restore of each needs. It believes only devices about a
 * base, and only runners about a checkpoint.
 */
export class BundleChain {
  readonly #points = new Map<string, RestorePoint>()
  readonly #useless = new Set<RestorePoint>()
  #base: RestorePoint | null = null
  /** Restore points that a later base has replaced (W46). */
  #older: ReadonlySet<RestorePoint> = new Set()
  #isOnDevice = false
  #lastNumber = 0
  /** Whether the log says what the run begins from, with a bundle or without. */
  hasBegun = false
  /** The base that is being uploaded, if it is announced. */
  coming: RestorePoint | null = null
  /** The agent's last commit in the log. */
  lastCommit: string | null = null

  take({ by, notification }: SeenEvent): void {
    const { params } = notification
    if (isEvent(notification, 'moved', 'session_start'))
      this.#isOnDevice = isOnDevice(params, this.#isOnDevice)
    if (!isEvent(notification, 'git_commit')) return
    const said = GitCommit.safeParse(params)
    if (!said.success) return
    const { kind, bundle, upTo = 0, sha } = said.data
    if (kind === 'commit') this.lastCommit = sha
    if (kind === 'history' && bundle) this.coming = { ...said.data, kind: 'base', bundle, upTo: 0 }
    if (kind !== 'base' && kind !== 'checkpoint') return
    if (kind === 'checkpoint' && by.kind !== 'runner') return
    this.hasBegun = true
    if (!bundle) return
    if (kind === 'base' && by.kind === 'device' && this.#isOnDevice) this.#beginAnew()
    this.add({ ...said.data, kind, bundle, upTo })
  }

  /**
   * While a run works on a device, its repository changes there: the next base from the device replaces everything
   * (W46).
   */
  #beginAnew(): void {
    this.#older = new Set(this.#points.values())
    this.#base = null
  }

  add(point: RestorePoint): void {
    if (point.kind === 'base' && this.#base) return
    this.#points.set(point.sha, point)
    if (point.kind === 'base') this.#base = point
    else this.#lastNumber = Math.max(this.#lastNumber, point.number ?? 0)
  }

  get base(): RestorePoint | null {
    return this.#base
  }

  /** The point to restore from: the newest checkpoint with a complete and usable chain, else the base. */
  get newest(): RestorePoint | null {
    return this.#newestOf(false) ?? this.#usefulBase ?? this.#newestOf(true)
  }

  #newestOf(isOlder: boolean): RestorePoint | null {
    const points = [...this.#points.values()].filter((point) => this.#older.has(point) === isOlder)
    const isWhole = (point: RestorePoint) => this.leadingTo(point)?.every((one) => this.#isOfUse(one))
    return points.findLast((point) => point.kind === 'checkpoint' && isWhole(point)) ?? null
  }

  /** Excludes this point and all that depend on it: its bundle is lost or broken. */
  giveUp(point: RestorePoint): void {
    this.#useless.add(point)
  }

  get #usefulBase(): RestorePoint | null {
    return this.#base && this.#isOfUse(this.#base) ? this.#base : null
  }

  #isOfUse(point: RestorePoint): boolean {
    return !this.#useless.has(point)
  }

  numbered(number: number): RestorePoint | null {
    for (const point of this.#points.values()) if (point.number === number) return point
    return null
  }

  get nextNumber(): number {
    return this.#lastNumber + 1
  }

  /** All points whose bundles a restore of this one needs, in order; null if one is missing in the log. */
  leadingTo(point: RestorePoint): RestorePoint[] | null {
    const line: RestorePoint[] = []
    for (let at: RestorePoint | undefined = point; at; at = this.#points.get(at.after ?? '')) {
      if (line.includes(at)) return null
      line.unshift(at)
      if (!at.after) return line
    }
    return null
  }
}

function isOnDevice(params: unknown, before: boolean): boolean {
  const said = Moved.safeParse(params)
  return said.success ? said.data.sandbox === 'none' : before
}

/**
 * The checkpoint on which the one of this number builds: mostly the one before, sometimes one long before. So a
 * restore needs a few dozen bundles at most, and no change is sent more than three times.
 */
export function numberBefore(number: number): number {
  if (number % step !== 1 || number === 1) return number - 1
  return (number - 1) % (step * step) === 0 ? Math.max(1, number - step * step) : number - step
}
