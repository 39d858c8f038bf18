import { post } from '@farhand/client/post'
import { Refusal } from '@farhand/client/refusal'
import { fileAs, filesInTheWay } from '@farhand/protocol/file-put-back'
import type { FileVersions, Version } from '@farhand/protocol/file-versions'
import { sameEntry } from '@farhand/protocol/path-history'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import type { FilesSource } from './files-source.ts'

// An event has at most a thousand files.
const mostInTheWay = 999

type Restoring = { eventId: number | null; entry: Version['entry']; size: number | null }

/** What puts a version back, as the next event of the log; null if the file is that already. Throws what is for people to read. */
export function puttingBack(
  { tree }: FileVersions,
  path: WorkspacePath,
  { entry, size, eventId }: Restoring,
): Record<string, unknown> | null {
  const now = tree.entry(path)
  if (now !== undefined && sameEntry(now, entry)) return null
  const inTheWay = entry ? filesInTheWay(tree, path) : []
  if (inTheWay.length > mostInTheWay)
    throw new Error(`${inTheWay.length} files are in the way of ${path}: delete or move them first.`)
  const file = fileAs({ path, entry, was: now, size })
  return { files: [...inTheWay, file], ...(eventId !== null && { restores: { eventId } }) }
}

/**
 * Makes a version the current one, for everybody who follows the run; gives the event that did it, or null if nothing was to
 * be done. The version that it replaces stays. Whether it counted is in the log: somebody else may have been faster.
 */
export async function putBack(
  { hub, at }: FilesSource,
  versions: FileVersions,
  path: WorkspacePath,
  restoring: Restoring,
): Promise<number | null> {
  const params = puttingBack(versions, path, restoring)
  if (!params) return null
  const event = { jsonrpc: '2.0', method: '_posthog/file_sync', params } as const
  try {
    return (await post(hub, at, event, { patienceMs: 15_000 })).lastEventId
  } catch (error) {
    throw error instanceof Refusal && error.code === 'blob.missing' ? gone(path, error) : error
  }
}

const gone = (path: string, cause: unknown) =>
  new Error(
    `This version of ${path} cannot be put back. Contents that are no longer in use are kept for 30 days, and these are gone.`,
    { cause },
  )
