import { isEvent } from '@farhand/protocol/events/event-names'
import type { GitCommit } from '@farhand/protocol/methods/git'
import * as git from '@farhand/protocol/methods/git'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { BundleChain, type RestorePoint } from '@farhand/runner/checkpoints/bundle-chain'

/** Whether an event has a say in it; all others can be forgotten. */
export const isAboutCommits = ({ notification }: SeenEvent) =>
  isEvent(notification, 'git_commit', 'moved', 'session_start')

/** What the log of a run says of commits. */
export class LoggedCommits {
  readonly line = new BundleChain()
  #base: GitCommit | null = null
  #checkpoint: RestorePoint | null = null
  #untaken: GitCommit[] = []

  take(event: SeenEvent): void {
    const isCommit = isEvent(event.notification, 'git_commit')
    const said = isCommit ? git.GitCommit.safeParse(event.notification.params).data : undefined
    // The beginning of a name could stand for a commit of the user's that nobody has sent.
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

  /** What the run began from, also if nobody has stored it. */
  get base(): GitCommit | null {
    return this.#base
  }

  /** The newest one of which everything is named; null if there is none yet. */
  get checkpoint(): RestorePoint | null {
    return this.#checkpoint
  }

  /** What the agent has committed since: no checkpoint has brought it yet. */
  get notYetThere(): readonly GitCommit[] {
    return this.#untaken
  }
}

const isWhole = ({ sha, head }: GitCommit) =>
  [sha, head].every((name) => name == null || /^[0-9a-f]{40}$/.test(name))
