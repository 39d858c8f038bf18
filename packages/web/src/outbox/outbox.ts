import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAction } from './actions.ts'

/** A action as it is pending. Its key is what makes sending it twice harmless. */
export type PendingAction = {
  key: string
  /** Where it is meant for; how to get there may not be known yet. */
  at: { run: RunId }
  writtenAt: string
  /** When its writer said that it is still meant, if it had waited for long. */
  agreedAt?: string
  action: RunAction
  /** The turns that were under way when it was written. */
  turns: readonly number[]
  /** Why the hub would not have it; null: it may still. */
  refused: string | null
}

/** Where actions wait until the hub has them. A page that is closed in between finds them again. */
export interface Outbox {
  /** A key that is there already is replaced where it stands. */
  put(action: PendingAction): Promise<void>
  /** Those of one run, in the order in which they were put. */
  list(run: RunId): Promise<PendingAction[]>
  /** The runs for which something is here. */
  runs(): Promise<RunId[]>
  /** Forgets a action; one that is not there is fine. */
  remove(key: string): Promise<void>
}

/** A outbox that lasts as long as the page, for browsers that let it keep nothing. */
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
