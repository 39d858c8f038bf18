import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Known } from '../index/file-rows.ts'
import type { KnownFiles } from '../index/known-files.ts'
import { DuePaths } from './due-paths.ts'
import type { SkippedPaths } from './skipped-paths.ts'

/** How long what is missing may take to turn up under another name. */
export const gatherMs = 20
const holdAtMostMs = 100

/**
 * Paths at which the scan found nothing. Each is looked at again a moment later, and counts as gone only if there is still
 * nothing: a file that is saved by renaming is missing for a moment, and so is a folder that is being moved.
 */
export class GonePaths {
  readonly #known: KnownFiles
  readonly #skips: SkippedPaths
  readonly #due = new DuePaths()
  readonly #moved = new MovedFiles()

  constructor(known: KnownFiles, skips: SkippedPaths) {
    this.#known = known
    this.#skips = skips
  }

  /** Nothing is at this path. What was never reported is not reported as gone, unless that is forced. */
  missed(path: string, nowMs: number, isForced: boolean): void {
    if (isForced) this.#due.add(path, nowMs)
    else if (this.#known.has(path as WorkspacePath) || this.#skips.has(path)) {
      this.#due.add(path, nowMs + gatherMs)
    }
  }

  /** The folder is not there, and nothing of what was in it. */
  missedBelow(folder: string, nowMs: number): void {
    for (const file of this.#known.below(folder)) {
      this.#due.add(file, this.#moved.note(this.#known.get(file)!, nowMs))
    }
    for (const skipped of this.#skips.below(folder)) this.#due.add(skipped, nowMs + gatherMs)
  }

  /** Nothing can be at this path: there is no need to wait. */
  atOnce(path: string): void {
    this.#due.add(path, 0)
  }

  /** Something is at this path after all. */
  found(path: string): void {
    this.#due.delete(path)
  }

  /** What the file with this stamp was, if it went with its folder and may be it under another name. */
  movedAs(stamp: number): { entry: FileEntry; size: number } | undefined {
    return this.#moved.get(stamp)
  }

  /** Takes the paths whose second look is due. */
  take(nowMs: number): string[] {
    return this.#due.take(nowMs)
  }

  /** When the next second look is due; infinity if none is. */
  get nextMs(): number {
    return this.#due.nextMs
  }

  /** Until when no report should be sent, because the other half of a move is about to be found. */
  holdUntilMs(nowMs: number, isBusy: boolean): number {
    return this.#moved.holdUntilMs(nowMs, isBusy)
  }

  /** Everything that is there has been looked at: unless a second look is due, all that was moved has been found. */
  rest(): void {
    if (this.#due.size === 0) this.#moved.clear()
  }
}

/** What was known of files whose folder has gone: if it was moved they are found again by their stamps. */
export class MovedFiles {
  readonly #byStamp = new Map<number, { entry: FileEntry; size: number }>()
  #holdUntilMs = 0

  /** This file went with its folder. Says until when it may turn up elsewhere. */
  note({ stamp, entry, size }: Known, nowMs: number): number {
    if (stamp !== 0) this.#byStamp.set(stamp, { entry, size })
    this.#holdUntilMs = nowMs + gatherMs
    return this.#holdUntilMs
  }

  get(stamp: number): { entry: FileEntry; size: number } | undefined {
    return this.#byStamp.get(stamp)
  }

  /** Until when no report should be sent, because the other half of a move is about to be found. */
  holdUntilMs(nowMs: number, isBusy: boolean): number {
    if (nowMs < this.#holdUntilMs || !isBusy) return this.#holdUntilMs
    return this.#holdUntilMs + holdAtMostMs
  }

  clear(): void {
    this.#byStamp.clear()
  }
}
