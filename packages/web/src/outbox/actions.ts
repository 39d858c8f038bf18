import type { Policy } from '@farhand/protocol/methods/control'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { EventParams } from '@farhand/protocol/methods/methods'
import type { RunMode } from '@farhand/protocol/schemas/api'

/** One thing that the user does to a run. It is stored until the hub has it, so these names are on disk. */
export type RunAction =
  | { do: 'say'; text: string; attachments: readonly Attachment[]; when: 'queue' | 'steer' }
  | { do: 'edit'; messageId: number; text: string }
  | { do: 'withdraw'; messageId: number }
  /** Withdraws a waiting message and sends it into the running turn, both or neither. */
  | { do: 'steer'; messageId: number; text: string; attachments: readonly Attachment[] }
  /** `by` tells other devices who answered. */
  | { do: 'answer'; questionId: string; answer: unknown; by?: string }
  | { do: 'cancel' }
  | { do: 'close' }
  /** Reopens a closed run, or wakes a sleeping one. */
  | { do: 'open' }
  /** Sets the mode of the run; without `policy` the policy stays. */
  | { do: 'run-mode'; mode: RunMode; policy?: Policy }
  | { do: 'agent-mode'; modeId: string }
  | { do: 'option'; configId: string; value: unknown }
  /** `id` is chosen by the caller and must be unique. */
  | { do: 'shell'; command: string; id: string; timeoutSeconds: number }
  | { do: 'stop-shell'; id: string }
  /** Restores files. `files` also says what each file is until then; a file that has changed since stays as it is. */
  | { do: 'put-back'; path: string; files: EventParams<'file_sync'> }

/** The outcome of an action, if the page lives to see it. */
export type ActionOutcome =
  | { is: 'sent'; eventId: number | null }
  | { is: 'refused'; why: string }
  /** The action was not needed or not possible any more: it was not sent, or the hub did not take it. */
  | { is: 'needless' }

/** An action that the hub has not confirmed. A refused one stays until the user drops or retries it. */
export type UnsentAction = {
  key: string
  at: string
  action: RunAction
  /** `stale`: it has waited so long that the user is asked before it is sent. */
  state: 'waiting' | 'sending' | 'refused' | 'stale'
  /** Why the hub refused it, for the user. */
  why: string | null
}

export type AttachOptions = { signal: AbortSignal; onProgress: (fraction: number) => void }

/**
 * What the user can do to a run. `act` stores an action and returns at once; it is sent exactly once, now or when
 * the hub can be reached. `attach` needs the hub, and rejects with an error whose message is for the user.
 */
export type RunActions = {
  act(action: RunAction, ended?: (end: ActionOutcome) => void): void
  /** Oldest first. */
  unsent: readonly UnsentAction[]
  drop(key: string): void
  resend(key: string): void
  attach(file: File, options: AttachOptions): Promise<Attachment>
}
