import { blobsNamed } from '@farhand/protocol/events/blobs-named'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification, StoredEvent } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { linesOf } from '../log/lines-of.ts'

/** A long log names a hundred thousand blobs. */
const mostRemembered = 5

type Known = { upTo: number; blobs: Set<BlobHash>; reading: Promise<void> }

/** Which blobs the guests of a run may read (W114): those that its log names, and that the page of a run shows. */
export class RunBlobs {
  readonly #log: EventLog
  readonly #known = new Map<RunId, Known>()

  constructor(log: EventLog) {
    this.#log = log
  }

  async of(run: RunId): Promise<ReadonlySet<BlobHash>> {
    const known = this.#known.get(run) ?? { upTo: 0, blobs: new Set(), reading: Promise.resolve() }
    this.#known.delete(run)
    this.#known.set(run, known)
    if (this.#known.size > mostRemembered) this.#known.delete(this.#known.keys().next().value!)
    // One after the other: a log is read once, however many guests ask.
    known.reading = known.reading.catch(() => {}).then(() => this.#read(run, known))
    await known.reading
    return known.blobs
  }

  async #read(run: RunId, known: Known): Promise<void> {
    const { lastId } = await this.#log.head(run)
    if (lastId <= known.upTo) return
    for await (const line of linesOf(this.#log, run, { after: known.upTo, upTo: lastId })) {
      if (!line.includes('"sha256_')) continue
      const { notification } = JSON.parse(line) as StoredEvent
      if (isShown(notification)) for (const hash of blobsNamed(notification)) known.blobs.add(hash)
    }
    known.upTo = lastId
  }
}

/** The bundles of checkpoints hold the whole repository, and what a user brought along is the user's own. */
const isShown = (notification: Notification): boolean =>
  !isEvent(notification, 'git_commit', 'agent_memory', 'user_setup')
