import type { RunView } from '@farhand/protocol/runs/run-view'
import type { Author, KeyStamp, Notification, ProducerStamp } from '@farhand/protocol/wire/event'
import type { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'

/** Events that are stored together or not at all. */
export type Batch = {
  notifications: readonly Notification[]
  by: Author
  /** The stamp of the first event; the following ones count on from its seq (W7). */
  producer?: ProducerStamp
  /** Only with a single notification (W9). */
  key?: KeyStamp
  /** Which life of a device wrote it (W34). */
  life?: number
  /** Thrown if anything of the batch is new; what an earlier try has stored is still acknowledged (W7, W9). */
  refusal?: Fault
}

/** `ids` has one id for each notification of the batch, those stored by an earlier try included. */
export type Appended = { ids: number[]; lastEventId: number }

/** What is known of a log without reading it. */
export type LogHead = {
  lastId: number
  /** How long the durable part is. */
  bytes: number
  view: RunView
  /** The last seq stored for the runner's current generation, or null. */
  runnerSeq: number | null
}

/**
 * Whole stored lines, each with its line feed, ids `firstId` to `lastId` without a hole. A `passing` one stands in
 * the buffer its reader brought, and is gone with the next read into it.
 */
export type Stretch = { bytes: Buffer; firstId: number; lastId: number; passing?: true }

/**
 * The append-only events of each run.
 *
 * A batch is proposed from a look at the head, and nothing can come between that look and the batch: what must
 * hold when an event is stored ("the run is open", "this is the next generation") is checked in `propose`, which
 * may throw a Fault. The head it sees counts everything admitted before, durable or not; if that turns out not
 * to become durable, this batch fails with it.
 */
export interface EventLog {
  /** Resolves once the events are durable; only then does any reader see them (W5). */
  append(run: RunId, propose: (head: LogHead) => Batch): Promise<Appended>
  /** The durable head. */
  head(run: RunId): Promise<LogHead>
  /** The lines after `after`, as many whole lines as fit into `maxBytes` but at least one; null at the end. */
  read(run: RunId, after: number, maxBytes: number, into?: Buffer): Promise<Stretch | null>
  /** As `read`, but only what is still in memory; undefined when the store has to be asked. Costs no promise. */
  recent(run: RunId, after: number, maxBytes: number): Stretch | null | undefined
  /**
   * Makes the log of `to`, of which nobody knows yet, begin with the first `upTo` lines of another one, byte for byte.
   * Resolves once they are durable; if it fails, `to` has none of them.
   */
  copy(from: RunId, upTo: number, to: RunId): Promise<void>
  /** Removes a log of which nobody knows, whether there is any of it or not. */
  remove(run: RunId): Promise<void>
  /** Rings after each flush of this run. The reader then looks for itself: a ring carries nothing and may be late. */
  onGrowth(run: RunId, ring: () => void): () => void
  /** As `onGrowth`, of any run. */
  onAnyGrowth(ring: (run: RunId) => void): () => void
  /** Waits for what was admitted, then lets go of all files. */
  close(): Promise<void>
}
