import { fileInEvent, filesInTheWay } from '@farhand/protocol/files/file-in-event'
import type { FileVersions, Version } from '@farhand/protocol/files/file-versions'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { EventParams } from '@farhand/protocol/methods/methods'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

// An event has at most a thousand files.
const mostInTheWay = 999

type Restoring = { eventId: number | null; entry: Version['entry']; size: number | null }

/**
 * The `file_sync` params that restore a version; null if the file already has these contents. Throws an error whose
 * message is for the user.
 */
export function putBackParams(
  { tree }: FileVersions,
  path: WorkspacePath,
  { entry, size, eventId }: Restoring,
): EventParams<'file_sync'> | null {
  const now = tree.entry(path)
  if (now !== undefined && sameEntry(now, entry)) return null
  const inTheWay = entry ? filesInTheWay(tree, path) : []
  if (inTheWay.length > mostInTheWay)
    throw new Error(`${inTheWay.length} files are in the way of ${path}: delete or move them first.`)
  const file = fileInEvent({ path, entry, was: now, size })
  return { files: [...inTheWay, file], ...(eventId !== null && { restores: { eventId } }) }
}
