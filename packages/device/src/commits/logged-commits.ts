import { isEvent } from '@farhand/protocol/events/event-names'
import type { GitCommit } from '@farhand/protocol/methods/git'
import * as git from '@farhand/protocol/methods/git'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { BundleChain, type RestorePoint } from '@farhand/runner/checkpoints/bundle-chain'

/** Whether LoggedCommits needs this event. */
export const isAboutCommits = ({ notification }: SeenEvent) =>
  isEvent(notification, 'git_commit', 'moved', 'session_start')

/** A fold: the base, checkpoints and commits that the log of a run names. */
export class LoggedCommits {
  readonly line = new BundleChain()
  #base: GitCommit | null = null
  #checkpoint: RestorePoint | null = null
  #untaken: GitCommit[] = []

  take(event: SeenEvent): void {
    const isCommit = isEvent(event.notification, 'git_commit')
    const said = isCommit ? git.GitCommit.safeParse(event.notification.params).data : undefined
    // An abbreviated name could match a commit of the user's that was never sent.
    if (said && said.kind !== 'commit' && !isWhole(said)) return
    this.line.take(event)
    if (!said) return
    if (said.kind === 'base') this.#base ??= said
    if (said.kind === 'commit') this.#untaken.push(said)
    if (said.kind !== 'checkpoint' || event.by.kind !== 'runner') return
    this.#untaken = []
    const newest = this.line.newest
    if (newest?.kind === 'checkpoint') this.#checkpoint = newest
  }

  /** The base of the run, also if its bundle was not stored. */
  get base(): GitCommit | null {
    return this.#base
  }

  /** The newest complete checkpoint; null if there is none yet. */
  get checkpoint(): RestorePoint | null {
    return this.#checkpoint
  }

  /** The agent's commits since then, which no checkpoint contains yet. */
  get notYetThere(): readonly GitCommit[] {
    return this.#untaken
  }
}

const isWhole = ({ sha, head }: GitCommit) =>
  [sha, head].every((name) => name == null || /^[0-9a-f]{40}$/.test(name))
