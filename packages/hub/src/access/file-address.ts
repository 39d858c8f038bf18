import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { ProjectId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import type { Secret } from './secret.ts'

export type FileAction = 'get' | 'put'

/** An address under which one blob of one project can be read, or written, until a moment, by whoever holds it. */
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

/** The project the address speaks for, or null if it is forged, expired or for another deed. */
export function readFileAddress(
  secret: Secret,
  deed: FileAction,
  name: string,
  query: URLSearchParams,
  nowMs: number,
  /** One that would work longer than any that is signed was made under a clock that was ahead. */
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
