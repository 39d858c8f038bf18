import { isEvent } from '@farhand/protocol/events/event-names'
import { GitCommit } from '@farhand/protocol/methods/git'
import { Moved } from '@farhand/protocol/methods/lifecycle'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** A base or checkpoint that can be put back. */
export type RestorePoint = GitCommit & {
  kind: 'base' | 'checkpoint'
  bundle: NonNullable<GitCommit['bundle']>
  upTo: number
}

/** After how many checkpoints one brings everything again that these brought, so that a recovery needs few of them. */
const step = 16

/**
 * Which of the bases and checkpoints that a log names can be put back, and what that takes. It believes only what a
 * device says of a base and what a runner says of a checkpoint.
 */
export class BundleChain {
  readonly #points = new Map<string, RestorePoint>()
  readonly #useless = new Set<RestorePoint>()
  #base: RestorePoint | null = null
  /** What a later base has taken the place of (W46). */
  #older: ReadonlySet<RestorePoint> = new Set()
  #isOnDevice = false
  #lastNumber = 0
  /** Whether it is known what the run begins from, with a bundle or without. */
  hasBegun = false
  /** What will be the base, if it is known before that. */
  coming: RestorePoint | null = null
  /** The agent's own commit that was told last. */
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

  /** While a run works on a device its repository goes on there: what it brings next is all there is (W46). */
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

  /** What a recovery begins from: the newest checkpoint of which everything is named and of use, else the base. */
  get newest(): RestorePoint | null {
    return this.#newestOf(false) ?? this.#usefulBase ?? this.#newestOf(true)
  }

  #newestOf(isOlder: boolean): RestorePoint | null {
    const points = [...this.#points.values()].filter((point) => this.#older.has(point) === isOlder)
    const isWhole = (point: RestorePoint) => this.leadingTo(point)?.every((one) => this.#isOfUse(one))
    return points.findLast((point) => point.kind === 'checkpoint' && isWhole(point)) ?? null
  }

  /** Nothing is begun from it any more, nor from what comes after it: its bundle is lost, or no good. */
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

  /** All whose bundles it takes, in the order in which they are needed; null if one of them was never named. */
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
 * Which checkpoint the one of this number comes after: mostly the one before it, now and then one long before. So a
 * recovery takes a few dozen bundles at most, and no change travels more than three times.
 */
export function numberBefore(number: number): number {
  if (number % step !== 1 || number === 1) return number - 1
  return (number - 1) % (step * step) === 0 ? Math.max(1, number - step * step) : number - step
}
