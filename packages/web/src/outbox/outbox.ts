import type { RunId } from '@farhand/protocol/wire/ids'
import type { Deed } from './actions.ts'

/** A deed as it is kept. Its key is what makes sending it twice harmless. */
export type KeptDeed = {
  key: string
  /** Where it is meant for; how to get there may not be known yet. */
  at: { run: RunId }
  writtenAt: string
  /** When its writer said that it is still meant, if it had waited for long. */
  agreedAt?: string
  deed: Deed
  /** The turns that were under way when it was written. */
  turns: readonly number[]
  /** Why the hub would not have it; null: it may still. */
  refused: string | null
}

/** Where deeds wait until the hub has them. A page that is closed in between finds them again. */
export interface DeedBox {
  /** A key that is there already is replaced where it stands. */
  put(deed: KeptDeed): Promise<void>
  /** Those of one run, in the order in which they were put. */
  list(run: RunId): Promise<KeptDeed[]>
  /** The runs for which something is here. */
  runs(): Promise<RunId[]>
  /** Forgets a deed; one that is not there is fine. */
  remove(key: string): Promise<void>
}

/** A box that lasts as long as the page, for browsers that let it keep nothing. */
export function memoryDeedBox(): DeedBox {
  const deeds = new Map<string, KeptDeed>()
  return {
    async put(deed) {
      deeds.set(deed.key, deed)
    },
    async list(run) {
      return [...deeds.values()].filter(({ at }) => at.run === run)
    },
    async runs() {
      return [...new Set([...deeds.values()].map(({ at }) => at.run))]
    },
    async remove(key) {
      deeds.delete(key)
    },
  }
}
