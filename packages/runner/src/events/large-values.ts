import { hash } from 'node:crypto'
import type { PackedBlob } from '@farhand/client/post/post'
import type { BlobMarker } from '@farhand/protocol/events/blob-marker'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import { isWithin } from '@farhand/protocol/wire/json-within'

/** An event that fits, and the blobs that it now names. */
export type Slimmed = { event: Notification; blobs: readonly PackedBlob[] }

const mostEventBytes = 256 * 1024
const mostValueCharacters = 8 * 1024
const headCharacters = 1000
const mostBlobs = 1000

/**
 * The event with its large values moved into blobs, if it is too large; the same event gives the same blobs. Null if
 * it is large because of many small values: then only the whole event could be a blob.
 */
export function withoutLargeValues(event: Notification): Slimmed | null {
  if (!event.params || isSmall(event)) return { event, blobs: [] }
  return slimmed(event, event.params, 'texts') ?? slimmed(event, event.params, 'everything')
}

/** A value of any kind as a blob and the marker for it. */
export function inBlob(value: unknown): { marker: BlobMarker; blob: PackedBlob } {
  const isText = typeof value === 'string'
  const text = isText ? value : JSON.stringify(value)
  const bytes = Buffer.from(text)
  const name = BlobHash.parse(`sha256_${hash('sha256', bytes, 'hex')}`)
  const marker = {
    _blob: name,
    size: bytes.length,
    head: headOf(text),
    ...(!isText && { json: true as const }),
  }
  return { marker, blob: { hash: name, bytes } }
}

/** The beginning of a text, without half a character at its end. */
export const headOf = (text: string) => text.slice(0, headCharacters).toWellFormed()

function isSmall(event: Notification): boolean {
  // A character takes six bytes of JSON at most; most events are so small that their bytes need not be counted.
  return isWithin(event, mostEventBytes / 6) || Buffer.byteLength(JSON.stringify(event)) <= mostEventBytes
}

function slimmed(
  event: Notification,
  params: Record<string, unknown>,
  what: 'texts' | 'everything',
): Slimmed | null {
  const blobs = new Map<BlobHash, PackedBlob>()
  const put = (value: unknown) => {
    const { marker, blob } = inBlob(value)
    blobs.set(blob.hash, blob)
    return marker
  }
  const slim = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > mostValueCharacters ? put(value) : value
    if (typeof value !== 'object' || value === null) return value
    // An object with a type is not replaced as a whole: readers of that type expect its fields.
    if (what === 'everything' && !saysItsKind(value) && isLarge(value)) return put(value)
    return mapped(value, slim)
  }
  const whole: [string, BlobMarker][] = []
  const slimParams = mapped(params, (value, name) => {
    if (typeof value !== 'string' || value.length <= mostValueCharacters) return slim(value)
    // Schemas require text here, so the beginning stays, and the marker is added beside it.
    whole.push([name, put(value)])
    return headOf(value)
  })
  const named = Array.isArray(params.blobs) ? params.blobs : []
  const slimEvent = {
    ...event,
    params: {
      ...slimParams,
      ...(whole.length > 0 && { whole: Object.fromEntries(whole) }),
      blobs: [...new Set([...named, ...blobs.keys()])],
    },
  }
  return slimEvent.params.blobs.length <= mostBlobs && isSmall(slimEvent)
    ? { event: slimEvent, blobs: [...blobs.values()] }
    : null
}

const saysItsKind = (value: object) => 'sessionUpdate' in value || 'type' in value

const isLarge = (value: object) => JSON.stringify(value).length > mostValueCharacters

function mapped(value: object, change: (value: unknown, name: string) => unknown): object {
  if (Array.isArray(value)) return value.map((one) => change(one, ''))
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one, name)]))
}
