import { fileUrls } from '@farhand/client/blobs/file-urls'
import { post } from '@farhand/client/post/post'
import { event } from '@farhand/protocol/events/event-names'
import { filesToPutBack } from '@farhand/protocol/files/files-to-put-back'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import { limits } from '@farhand/protocol/wire/limits'
import type { FilesSource } from '../../files/history/files-source.ts'
import type { RewindPlan, RewindPoints } from './rewind-points.ts'

const options = { patienceMs: 15_000 }

/**
 * The events of a rewind. The conversation comes last: if the connection breaks, only files were restored, and the
 * user can try again.
 */
export function rewindEvents(
  rewindPoints: RewindPoints,
  { to, back }: RewindPlan,
  withConversation: boolean,
): Notification[] {
  const undoes = { from: to + 1, to: rewindPoints.cursor, everyone: true }
  const portions = [...filesToPutBack(back, rewindPoints.files.versions)]
  const files = portions.map((portion) => event('file_sync', { files: portion, undoes }))
  return withConversation ? [...files, event('rewind', { to })] : files
}

/**
 * Restores the files of a run, and its conversation if wanted; returns the last event. If some contents no longer
 * exist, it changes nothing and rejects with a message for the user.
 */
export async function rewindRun(
  { hub, at }: FilesSource,
  rewindPoints: RewindPoints,
  way: RewindPlan,
  withConversation: boolean,
): Promise<number> {
  const hashes = [...new Set(way.back.flatMap(({ before }) => (before ? [before.hash as BlobHash] : [])))]
  for (let from = 0; from < hashes.length; from += limits.hashesPerRequest) {
    const asked = hashes.slice(from, from + limits.hashesPerRequest)
    const missing = Object.keys((await fileUrls(hub, at, asked, options)).missing).length
    if (missing > 0) throw new Error(gone(missing))
  }
  let last = rewindPoints.cursor
  for (const one of rewindEvents(rewindPoints, way, withConversation))
    last = (await post(hub, at, one, options)).lastEventId
  return last
}

const gone = (count: number) =>
  `Contents that are no longer in use are kept for 30 days, and ${count === 1 ? 'one' : count} of these ${
    count === 1 ? 'is' : 'are'
  } gone. Nothing was changed.`
