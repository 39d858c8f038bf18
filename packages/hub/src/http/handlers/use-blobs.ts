import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { OwnedRun } from '../../runs/run-directory.ts'
import { knownBlobs, renewBlobs } from '../../store/project-blobs.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/** Those of them that the run's project has, whole; their time starts anew (W25). */
export async function useBlobs(
  parts: HubParts,
  run: OwnedRun,
  hashes: readonly BlobHash[],
): Promise<Set<BlobHash>> {
  // Renewed first: what is then found to be known cannot be swept before it is fetched. A disk too full to note
  // it does not make what is there unreadable.
  await renewBlobs(parts.db, run.project, hashes, new Date()).catch((err) =>
    parts.logger.warn({ err }, 'blobs could not be renewed'),
  )
  const known = await knownBlobs(parts.db, run.project, hashes)
  // Those are as good as missing: whoever is told so brings them again.
  for (const hash of await parts.blobs.damaged([...known])) known.delete(hash)
  return known
}
