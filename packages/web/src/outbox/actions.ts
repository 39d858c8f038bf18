import type { Policy } from '@farhand/protocol/methods/control'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { EventParams } from '@farhand/protocol/methods/methods'
import type { RunMode } from '@farhand/protocol/schemas/api'

/** One thing that a person does to a run, as it is pending until the hub has it. */
export type RunAction =
  | { do: 'say'; text: string; attachments: readonly Attachment[]; when: 'queue' | 'steer' }
  | { do: 'edit'; messageId: number; text: string }
  | { do: 'withdraw'; messageId: number }
  /** A message that waits is taken back and said into the turn that is under way, both or neither. */
  | { do: 'steer'; messageId: number; text: string; attachments: readonly Attachment[] }
  /** `by` is what people on other devices read of who answered. */
  | { do: 'answer'; questionId: string; answer: unknown; by?: string }
  | { do: 'cancel' }
  | { do: 'close' }
  /** A run that was closed is open again, one that sleeps is woken. */
  | { do: 'open' }
  /** How the run is worked at; without `policy` the one that was set before stays. */
  | { do: 'run-mode'; mode: RunMode; policy?: Policy }
  | { do: 'agent-mode'; modeId: string }
  | { do: 'option'; configId: string; value: unknown }
  /** `id` is the caller's to choose; nobody else may have it. */
  | { do: 'shell'; command: string; id: string; timeoutSeconds: number }
  | { do: 'stop-shell'; id: string }
  /** Files become what they were; `files` says what each is until then, and a file that has changed since stays as it is. */
  | { do: 'put-back'; path: string; files: EventParams<'file_sync'> }

/** What became of a action, as far as the page that it was done on lives to see it. */
export type ActionOutcome =
  | { is: 'sent'; eventId: number | null }
  | { is: 'refused'; why: string }
  /** What it was to bring about is so, or cannot be any more: it was not sent, or not taken. */
  | { is: 'needless' }

/** A action that the hub has not confirmed. What was refused stays until somebody drops it or tries again. */
export type UnsentAction = {
  key: string
  at: string
  action: RunAction
  /** `stale`: it has waited for so long that its writer is asked first. */
  state: 'waiting' | 'sending' | 'refused' | 'stale'
  /** Why it was refused, in words for people. */
  why: string | null
}

export type AttachOptions = { signal: AbortSignal; onProgress: (fraction: number) => void }

/**
 * What can be done to a run from here. A action is pending before `act` returns and is sent once, now or when there is a
 * hub again: whoever calls it need not wait. `attach` needs the hub, and rejects with an error whose message is for people.
 */
export type RunActions = {
  act(action: RunAction, ended?: (end: ActionOutcome) => void): void
  /** Oldest first. */
  unsent: readonly UnsentAction[]
  drop(key: string): void
  again(key: string): void
  attach(file: File, options: AttachOptions): Promise<Attachment>
}
