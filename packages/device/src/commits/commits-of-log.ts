import type { GitCommit } from '@farhand/protocol/methods/git'
import * as git from '@farhand/protocol/methods/git'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import { LineOfBundles, type Point } from '@farhand/runner/checkpoints/line-of-bundles'

/** What the log of a run says of commits. */
export class CommitsOfLog {
  readonly line = new LineOfBundles()
  #base: GitCommit | null = null
  #checkpoint: Point | null = null
  #untaken: GitCommit[] = []

  take(event: SeenEvent): void {
    this.line.take(event)
    if (event.notification.method !== '_posthog/git_commit') return
    const said = git.GitCommit.safeParse(event.notification.params).data
    if (!said) return
    if (said.kind === 'base') this.#base ??= said
    if (said.kind === 'commit') this.#untaken.push(said)
    if (said.kind !== 'checkpoint' || event.by.kind !== 'runner') return
    this.#untaken = []
    const newest = this.line.newest
    if (newest?.kind === 'checkpoint') this.#checkpoint = newest
  }

  /** What the run began from, also if nobody has stored it. */
  get base(): GitCommit | null {
    return this.#base
  }

  /** The newest one of which everything is named; null if there is none yet. */
  get checkpoint(): Point | null {
    return this.#checkpoint
  }

  /** What the agent has committed since: no checkpoint has brought it yet. */
  get notYetThere(): readonly GitCommit[] {
    return this.#untaken
  }
}
