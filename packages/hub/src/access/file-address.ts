import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { ProjectId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import type { Secret } from './secret.ts'

export type FileAction = 'get' | 'put'

/** A signed URL path that allows any client to read or write one blob of one project until it expires. */
export function signFileAddress(
  secret: Secret,
  deed: FileAction,
  project: ProjectId,
  hash: BlobHash,
  untilMs: number,
): string {
  const until = Math.ceil(untilMs / 1000)
  const signature = secret.sign('file', deed, project, hash, until)
  return `${paths.file(hash)}?deed=${deed}&project=${project}&until=${until}&signature=${signature}`
}

/** The project and blob of a signed path, or null if it is forged, expired or for another action. */
export function readFileAddress(
  secret: Secret,
  deed: FileAction,
  name: string,
  query: URLSearchParams,
  nowMs: number,
  /** A path with a longer lifetime than the hub signs was made while the clock was ahead, and is refused. */
  longestMs = Number.POSITIVE_INFINITY,
): { project: ProjectId; hash: BlobHash } | null {
  const hash = BlobHash.safeParse(name)
  const project = ProjectId.safeParse(query.get('project'))
  const until = Number(query.get('until'))
  if (!hash.success || !project.success || !Number.isSafeInteger(until)) return null
  if (query.get('deed') !== deed || until * 1000 < nowMs || until * 1000 > nowMs + longestMs) return null
  if (!secret.matches(query.get('signature') ?? '', 'file', deed, project.data, hash.data, until)) return null
  return { project: project.data, hash: hash.data }
}
