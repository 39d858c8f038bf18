import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import type { Notification } from '../wire/event.ts'
import { eventName } from './event-names.ts'

/** Any event may list the blobs that it names where only its reader finds them, such as inside a tool call. */
export const BlobList = z.looseObject({ blobs: z.array(BlobHash).max(1000) })
export type BlobList = z.infer<typeof BlobList>

type Params = Record<string, unknown>

const isHash = (value: unknown): value is BlobHash =>
  typeof value === 'string' && value.startsWith('sha256_') && BlobHash.safeParse(value).success

const objects = (value: unknown): Params[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []

const ofCommit = ({ bundle, packIndex, index }: Params) => [bundle, packIndex, index]

// `was` is left out: it may name a file of the git base, whose blob the hub need not have.
function candidates(method: string, params: Params): unknown[] {
  switch (eventName(method)) {
    case 'file_change':
    case 'file_sync':
      return (params.files === undefined ? [params] : objects(params.files)).flatMap((file) =>
        file.action === 'deleted' ? [] : [file.hash],
      )
    case 'user_message':
      return objects(params.attachments).map((attachment) => attachment.hash)
    case 'user_setup':
      return objects(params.items).map((item) => item.hash)
    case 'file_kept':
    case 'file_content':
    case 'artifact':
      return [params.hash]
    case 'agent_memory':
      return [params.files]
    case 'git_commit':
      return ofCommit(params)
    default:
      return []
  }
}

const none: readonly BlobHash[] = []

/** The blobs that the hub must have before it may store this event, and must keep for it (W24, W25). */
export function blobsNamed({ method, params }: Notification): readonly BlobHash[] {
  if (!params) return none
  const named = candidates(method, params).filter(isHash)
  if (Array.isArray(params.blobs)) named.push(...params.blobs.filter(isHash))
  return named.length > 1 ? [...new Set(named)] : named
}

/** The blobs that the hub keeps for good: a checkpoint and what was staged in it (W25). */
export function bundlesNamed({ method, params }: Notification): readonly BlobHash[] {
  return eventName(method) === 'git_commit' && params ? ofCommit(params).filter(isHash) : none
}
