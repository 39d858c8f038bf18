import type { KnownRun } from '../known-runs/known-runs.ts'
import type { RunningLink } from '../linked-folders/background-link.ts'
import type { Trouble } from '../trouble/trouble.ts'
import type { RunState } from './handoff-run.ts'

/** What a handoff does next. `back`: the run goes back to where it was, or comes back here. */
export type HandoffStep =
  | { is: 'files' | 'begin' | 'repository' | 'link' | 'sandbox' | 'busy' }
  | { is: 'back' | 'rest' | 'memory'; to: 'here' | 'cloud' }

/** What did not work, although the handoff goes on. */
export type HandoffWarning =
  | { is: 'repository'; says: string }
  | { is: 'setup-not-sent' | 'not-linked' | 'commits-wait'; why: string }
  | { is: 'no-capacity' }

export type HandoffListener = {
  step(step: HandoffStep): void
  warn(warning: HandoffWarning): void
  /** The agent's commits were fetched here, to these branches. */
  commits(branches: readonly string[]): void
}

/** What a handoff needs from its command. */
export type HandoffParts = {
  env: Readonly<Record<string, string | undefined>>
  stop: AbortSignal
  listener: HandoffListener
  /** Waits for the end of the current turn, or cancels it. `asks`: the agent waits for an answer. */
  settle: (seen: RunState, asks: boolean) => Promise<void>
  startRunner: (known: KnownRun, after?: number) => { ended: Promise<Trouble | null> }
  /** Starts a background link for the folder of the run; resolves when both are in step. */
  startLink: (once: readonly string[]) => Pick<RunningLink<unknown>, 'inStep'>
  /** Sends what the user brings to sandboxes (W45). */
  sendSetup: (run: RunState['run']) => Promise<void>
  /** Fetches the agent's commits into the repository here; returns the branches that have them. */
  fetchCommits: () => Promise<string[]>
}

/** How a handoff ended. `no-sandbox`: with `isBack` the run works here again, or would but for `trouble`. */
export type HandoffEnd =
  | { is: 'moved' }
  | { is: 'refused'; why: 'closed' | 'other-device' }
  | { is: 'unanswered'; pid: number | null }
  | { is: 'too-busy' }
  | { is: 'no-sandbox'; why: string | null; isBack: boolean; trouble: Trouble | null }
