import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAction } from './actions.ts'

/** An action in the outbox. Its key makes sending it twice harmless. */
export type PendingAction = {
  key: string
  /** The run it is for; the address of the run may still be unknown. */
  at: { run: RunId }
  writtenAt: string
  /** When the user agreed to send it although it was old. */
  agreedAt?: string
  action: RunAction
  /** The turns that were running when the user did it. */
  turns: readonly number[]
  /** Why the hub refused it; null: not refused. */
  refused: string | null
}

/** Where actions wait until the hub has them, also across page loads. */
export interface Outbox {
  /** Replaces an action with the same key, in the same place. */
  put(action: PendingAction): Promise<void>
  /** The actions of one run, oldest first. */
  list(run: RunId): Promise<PendingAction[]>
  /** The runs that have actions here. */
  runs(): Promise<RunId[]>
  /** Removes an action; unknown keys are ignored. */
  remove(key: string): Promise<void>
}

/** An outbox in memory, for browsers without storage. */
export function memoryOutbox(): Outbox {
  const actions = new Map<string, PendingAction>()
  return {
    async put(action) {
      actions.set(action.key, action)
    },
    async list(run) {
      return [...actions.values()].filter(({ at }) => at.run === run)
    },
    async runs() {
      return [...new Set([...actions.values()].map(({ at }) => at.run))]
    },
    async remove(key) {
      actions.delete(key)
    },
  }
}
