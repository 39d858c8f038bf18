import type { BlobHash } from '@farhand/protocol/blob-hash'
import { blobsNamed, bundlesNamed } from '@farhand/protocol/blobs-named'
import { Fault } from '@farhand/protocol/faults'
import { limits } from '@farhand/protocol/limits'
import type { Kysely } from 'kysely'
import type { Appended, Batch, EventLog } from '../log/event-log.ts'
import { keepBlobs, nameBlobs } from '../store/project-blobs.ts'
import type { Tables } from '../store/tables.ts'
import { admitted } from './inbox.ts'
import type { OwnedRun } from './run-directory.ts'

type Stores = { db: Kysely<Tables>; log: EventLog }

/** Stores a batch in its run's log; resolves once it is durable. */
export function storeBatch(stores: Stores, run: OwnedRun, batch: Batch): Promise<Appended> {
  const hashes = batch.notifications.flatMap(blobsNamed)
  if (hashes.length > 0) return storeWithBlobs(stores, run, batch, hashes)
  return stores.log.append(run.id, (head) => admitted(batch, head))
}

/** Stores events once every blob they name is known to be here, and to stay (W24, W25). */
async function storeWithBlobs(
  { db, log }: Stores,
  run: OwnedRun,
  batch: Batch,
  hashes: readonly BlobHash[],
): Promise<Appended> {
  if (hashes.length > limits.blobsPerRequest) {
    throw new Fault(
      'request.too-large',
      `a request may name ${limits.blobsPerRequest} blobs; send the rest in a second one`,
    )
  }
  const { refusal } = admitted(batch, await log.head(run.id))
  // What is refused renews nothing and keeps nothing; what an earlier try has stored is still acknowledged.
  if (refusal) return log.append(run.id, () => ({ ...batch, refusal }))
  const missing = await nameBlobs(db, run.project, hashes, new Date())
  if (missing.length > 0) {
    const text = `${missing.length} blobs named here are not stored yet; upload them first`
    throw new Fault('blob.missing', text, { hashes: missing.slice(0, 20) })
  }
  const appended = await log.append(run.id, (head) => admitted(batch, head))
  const bundles = batch.notifications.flatMap(bundlesNamed)
  if (bundles.length > 0) await keepBlobs(db, run.project, bundles)
  return appended
}
