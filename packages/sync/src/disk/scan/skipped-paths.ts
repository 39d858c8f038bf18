import type { Stats } from 'node:fs'
import { pathProblem } from '@farhand/protocol/wire/path-problem'
import type { SkipReason } from '../../engine/disk-folder.ts'
import type { PendingReport } from '../report/pending-report.ts'
import { SkippedSizes } from './skipped-sizes.ts'

/** Paths that exist and are not synced, and why; each is reported once (S9). Ignored paths are not among them. */
export class SkippedPaths {
  readonly #pending: PendingReport
  readonly #why = new Map<string, SkipReason>()
  readonly #sizes = new SkippedSizes()

  constructor(pending: PendingReport) {
    this.#pending = pending
  }

  get(path: string): SkipReason | undefined {
    return this.#why.get(path)
  }

  has(path: string): boolean {
    return this.#why.has(path)
  }

  /** Whether what is skipped here is no folder, as far as is known. */
  isFile(path: string): boolean {
    return this.has(path) && this.get(path) !== 'hub-data'
  }

  delete(path: string): void {
    this.#why.delete(path)
    this.#sizes.forget(path)
  }

  /** Whether this path was only a name on this disk, and no file of a run can have it. */
  isOnlyName(path: string): boolean {
    const why = this.#why.get(path)
    return why === 'bad-name' || why === 'clash'
  }

  *because(why: SkipReason): Generator<string> {
    for (const [path, reason] of this.#why) if (reason === why) yield path
  }

  *below(folder: string): Generator<string> {
    for (const path of this.#why.keys()) if (path.startsWith(`${folder}/`)) yield path
  }

  /** Says the sizes of files that have grown and do so no more. */
  work(nowMs: number): void {
    for (const { path, size } of this.#sizes.take(nowMs)) this.#pending.skip({ path, why: 'too-large', size })
  }

  /** When the next size has to be reported. */
  get nextMs(): number {
    return this.#sizes.nextMs
  }

  /** `isNews`: the engine believes that this is synced, or asked for it. */
  add(path: string, why: SkipReason, isNews: boolean, size?: number, grew = false): void {
    const wasSaid = this.#why.get(path) === why
    if (why === 'ignored') this.#why.delete(path)
    else this.#why.set(path, why)
    const large = why === 'too-large' ? size : undefined
    if (large === undefined) this.#sizes.forget(path)
    if (isNews || (why !== 'ignored' && !wasSaid)) {
      if (large !== undefined) this.#sizes.reported(path, large)
      this.#pending.skip({
        path,
        why,
        ...(large === undefined ? {} : { size: large }),
        ...(grew ? { grew } : {}),
      })
    } else if (large !== undefined) this.#sizes.measured(path, large, Date.now())
  }
}

/** Why what is at this path cannot be synced under any rules; null if it can. */
export function whyUnsyncable(
  path: string,
  stats: Stats,
  isKnown: boolean,
  maxBytes: number,
): SkipReason | null {
  if (!stats.isFile() && !stats.isSymbolicLink()) return 'special'
  if (stats.size > maxBytes) return 'too-large'
  return !isKnown && pathProblem(path) ? 'bad-name' : null
}
