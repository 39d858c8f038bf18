import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Known } from './known-files.ts'

/** How long what is missing may take to turn up under another name. */
export const gatherMs = 20
const holdAtMostMs = 100

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

  /** Until when it is better to say nothing, because the other half of a move is about to be known. */
  holdUntilMs(nowMs: number, isBusy: boolean): number {
    if (nowMs < this.#holdUntilMs || !isBusy) return this.#holdUntilMs
    return this.#holdUntilMs + holdAtMostMs
  }

  clear(): void {
    this.#byStamp.clear()
  }
}
