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
  /** The life of the device that wrote it (W34). */
  life?: number
  /** Thrown if any event of the batch is new. Events that an earlier try has stored are still acknowledged (W7, W9). */
  refusal?: Fault
}

/** `ids` has one id for each notification of the batch, those stored by an earlier try included. */
export type Appended = { ids: number[]; lastEventId: number }

/** The state of a log at its end. */
export type LogHead = {
  lastId: number
  /** The length of the durable part. */
  bytes: number
  view: RunView
  /** The last seq stored for the runner's current generation, or null. */
  runnerSeq: number | null
}

/**
 * Whole stored lines, each with its line feed, with ids `firstId` to `lastId` without a gap. A `passing` one is in the reader's own
 * buffer and is overwritten by the next read into it.
 */
export type LogChunk = { bytes: Buffer; firstId: number; lastId: number; passing?: true }

/**
 * The append-only events of each run.
 *
 * `propose` gets the head and returns the batch, and no other event can be stored in between. So conditions that must hold when an event
 * is stored ("the run is open", "this is the next generation") are checked in `propose`, which may throw a Fault. Its head includes
 * everything admitted before, durable or not; if an earlier batch fails to become durable, this batch fails with it.
 */
export interface EventLog {
  /** Resolves once the events are durable; only then does any reader see them (W5). */
  append(run: RunId, propose: (head: LogHead) => Batch): Promise<Appended>
  /** The durable head. */
  head(run: RunId): Promise<LogHead>
  /** The lines after `after`, as many whole lines as fit into `maxBytes` but at least one; null at the end. */
  read(run: RunId, after: number, maxBytes: number, into?: Buffer): Promise<LogChunk | null>
  /** As `read`, without a promise, but only from memory; undefined if the file has to be read. */
  recent(run: RunId, after: number, maxBytes: number): LogChunk | null | undefined
  /**
   * Makes the log of `to`, which must not be in use yet, begin with the first `upTo` lines of another log, byte for byte. Resolves once
   * they are durable; if it fails, `to` has none of them.
   */
  copy(from: RunId, upTo: number, to: RunId): Promise<void>
  /** Removes a log that is not in use. It is no error if there is none. */
  remove(run: RunId): Promise<void>
  /** Calls `ring` after each flush of this run. The reader then reads by itself: the call carries no events and may be late. */
  onGrowth(run: RunId, ring: () => void): () => void
  /** As `onGrowth`, for all runs. */
  onAnyGrowth(ring: (run: RunId) => void): () => void
  /** Waits for everything admitted, then closes all files. */
  close(): Promise<void>
}
