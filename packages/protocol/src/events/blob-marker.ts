import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import type { Notification } from '../wire/event.ts'
import { blobsNamed } from './blobs-named.ts'

/** Replaces, in an event, a value that is stored in a blob: a text, or anything else as JSON (W24). */
export const BlobMarker = z.strictObject({
  _blob: BlobHash,
  size: z.number().int().nonnegative(),
  head: z.string(),
  json: z.literal(true).optional(),
})
export type BlobMarker = z.infer<typeof BlobMarker>

/**
 * The event with its markers replaced by the contents of their blobs. A marker whose blob is not in `contents` stays,
 * and so does a value that only looks like a marker.
 */
export function fillBlobMarkers(event: Notification, contents: ReadonlyMap<string, string>): Notification {
  if (!event.params || !Array.isArray(event.params.blobs)) return event
  const named = new Set<string>(blobsNamed(event))
  const filled = new Set<string>()
  const contentOf = (marker: BlobMarker): unknown => {
    const text = named.has(marker._blob) ? contents.get(marker._blob) : undefined
    if (text === undefined) return marker
    filled.add(marker._blob)
    return marker.json ? JSON.parse(text) : text
  }
  const fill = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(fill)
    if ('_blob' in value) {
      const marker = BlobMarker.safeParse(value)
      if (marker.success) return contentOf(marker.data)
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)]))
  }
  const { blobs, whole, ...params } = event.params
  const texts = Object.entries(fill(typeof whole === 'object' ? whole : null) ?? {})
  const isText = ([, value]: [string, unknown]) => typeof value === 'string'
  const left = texts.filter((one) => !isText(one))
  const members = [...Object.entries(fill(params) as object), ...texts.filter(isText)]
  if (left.length > 0) members.push(['whole', Object.fromEntries(left)])
  const others = (blobs as string[]).filter((hash) => !filled.has(hash))
  if (others.length > 0) members.push(['blobs', others])
  return { ...event, params: Object.fromEntries(members) }
}
