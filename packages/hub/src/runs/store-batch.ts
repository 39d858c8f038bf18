import type { Interpreted } from '@farhand/protocol/compatibility/interpret-notifications'
import { blobsNamed, bundlesNamed } from '@farhand/protocol/events/blobs-named'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { ReceivedBlobs } from '../blobs/received-blobs.ts'
import type { Appended, Batch, EventLog } from '../log/event-log.ts'
import { keepBlobs, nameBlobs, rememberBlobs } from '../store/project-blobs.ts'
import type { Db } from '../store/tables.ts'
import { admitted, understood } from './inbox.ts'
import { noteThenStore } from './note-waiting.ts'
import type { OwnedRun } from './run-directory.ts'

type Stores = { db: Db; log: EventLog }

/** `answered`: the message was stored as the answer to this question (W62). */
export type Stored = Appended & { answered?: string }

/** Stores a batch in its run's log; resolves once it is durable. */
export function storeBatch(stores: Stores, run: OwnedRun, batch: Batch): Promise<Stored> {
  const hashes = batch.notifications.flatMap(blobsNamed)
  if (hashes.length > 0) return storeWithBlobs(stores, run, batch, hashes)
  return admit(stores, run, batch)
}

const admit = ({ db, log }: Stores, run: OwnedRun, batch: Batch): Promise<Stored> =>
  noteThenStore(db, run.id, batch.notifications, async () => {
    let heard: Interpreted | null = null
    const appended = await log.append(run.id, (head) => {
      heard = understood(batch, head)
      return admitted(heard ? { ...batch, notifications: heard.notifications } : batch, head)
    })
    return heard ? asSent(appended, heard) : appended
  })

/** The sender gets the ids of its own events, without those that the hub added. */
function asSent(appended: Appended, { places, answered }: Interpreted): Stored {
  const ids = places.map((place) => appended.ids[place]!)
  return { ...appended, ids, ...(answered !== undefined && { answered }) }
}

/** Stores events after checking that the project has every blob they name, and renewing those blobs (W24, W25). */
async function storeWithBlobs(
  stores: Stores,
  run: OwnedRun,
  batch: Batch,
  hashes: readonly BlobHash[],
): Promise<Stored> {
  const refused = await refusedBefore(stores, run, batch, hashes)
  if (refused) return refused()
  await checkNamed(stores, run, hashes)
  return append(stores, run, batch)
}

/** Stores blobs, then the events that came with them (W31). If the events will surely be refused, stores neither. */
export async function storePack(
  stores: Stores & { blobs: BlobStore },
  run: OwnedRun,
  batch: Batch,
  received: ReceivedBlobs,
): Promise<Stored> {
  const hashes = batch.notifications.flatMap(blobsNamed)
  const refused = await refusedBefore(stores, run, batch, hashes)
  if (refused) return refused()
  const own = new Set<BlobHash>()
  for (const { hash } of received.blobs) own.add(hash)
  const others = hashes.filter((hash) => !own.has(hash))
  if (others.length > 0) await checkNamed(stores, run, others)
  // The new blobs need no renewal: storing them counts as use.
  await stores.blobs.putAll(received, run.project, (stored) =>
    rememberBlobs(stores.db, run.project, stored, new Date()),
  )
  return append(stores, run, batch)
}

async function refusedBefore(
  { log }: Stores,
  run: OwnedRun,
  batch: Batch,
  hashes: readonly BlobHash[],
): Promise<(() => Promise<Appended>) | null> {
  if (hashes.length > limits.blobsPerRequest) {
    throw new Fault(
      'request.too-large',
      `a request may name ${limits.blobsPerRequest} blobs; send the rest in a second one`,
    )
  }
  const { refusal } = admitted(batch, await log.head(run.id))
  if (refusal && batch.notifications.length === 0) throw refusal
  // A refused batch renews and stores no blobs. `append` still acknowledges what an earlier try has stored.
  return refusal ? () => log.append(run.id, () => ({ ...batch, refusal })) : null
}

async function checkNamed({ db }: Stores, run: OwnedRun, hashes: readonly BlobHash[]): Promise<void> {
  const missing = await nameBlobs(db, run.project, hashes, new Date())
  if (missing.length === 0) return
  const text = `${missing.length} blobs named here are not stored yet; upload them first`
  throw new Fault('blob.missing', text, { hashes: missing.slice(0, 20) })
}

async function append(stores: Stores, run: OwnedRun, batch: Batch): Promise<Stored> {
  const appended = await admit(stores, run, batch)
  const bundles = batch.notifications.flatMap(bundlesNamed)
  if (bundles.length > 0) await keepBlobs(stores.db, run.project, bundles)
  return appended
}
