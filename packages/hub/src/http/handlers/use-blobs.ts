import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Principal } from '../../access/principal.ts'
import type { OwnedRun } from '../../runs/run-directory.ts'
import { knownBlobs, renewBlobs } from '../../store/project-blobs.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/** Of these blobs, those that this caller may read: a guest only what the log of the run names (W114). */
export async function blobsFor(
  parts: HubParts,
  who: Principal | null,
  run: OwnedRun,
  hashes: readonly BlobHash[],
): Promise<Set<BlobHash>> {
  if (who?.kind !== 'guest') return useBlobs(parts, run, hashes)
  const named = await parts.runBlobs.of(run.id)
  return useBlobs(
    parts,
    run,
    hashes.filter((hash) => named.has(hash)),
  )
}

/** Renews the expiry of these blobs (W25) and returns those that the run's project has undamaged. */
export async function useBlobs(
  parts: HubParts,
  run: OwnedRun,
  hashes: readonly BlobHash[],
): Promise<Set<BlobHash>> {
  // Renewed first, so that a blob found here cannot be swept before the client fetches it. If the disk is too full to record
  // that, reading must still work.
  await renewBlobs(parts.db, run.project, hashes, new Date()).catch((err) =>
    parts.logger.warn({ err }, 'blobs could not be renewed'),
  )
  const known = await knownBlobs(parts.db, run.project, hashes)
  // Damaged blobs are reported as missing, so that the client uploads them again.
  for (const hash of await parts.blobs.damaged([...known])) known.delete(hash)
  return known
}
