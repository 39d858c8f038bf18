import { Posted } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification, ProducerStamp } from '@farhand/protocol/wire/event'
import { randomName } from '@farhand/protocol/wire/ids'
import { packPieces, packType } from '@farhand/protocol/wire/pack'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, call, callOnce } from '../requests/call.ts'
import type { Hub, HubRequest } from '../requests/hub.ts'
import { confirm, Unconfirmed } from '../requests/unconfirmed.ts'

/** A blob with its bytes, small enough to be sent in one request with the events that name it. */
export type PackedBlob = { hash: BlobHash; bytes: Uint8Array }

export type PostOptions = CallOptions & {
  /** The stamp of the first event; the following ones count on from its seq. */
  producer?: ProducerStamp
  /** Only for a single event: sent with the same key, it is stored once, however often it is sent. */
  key?: string
  /** Blobs in the same request: stored before the events, even if the events are refused (W31). */
  blobs?: readonly PackedBlob[]
}

/**
 * Writes events into a run and resolves when they are durable. A single event, or a batch with a producer stamp, is
 * sent again until `patienceMs` is over, and is stored once all the same; a batch without a stamp is sent once. Unconfirmed
 * means that the client does not know whether it arrived: a single event may be sent again only with the key in that
 * error, or it runs twice. A caller that aborts a post and wants to send it again later has to pass a key.
 */
export function post(
  hub: Hub,
  at: RunAddress,
  events: Notification | readonly Notification[],
  options: PostOptions = {},
): Promise<Posted> {
  const list = 'method' in events ? [events] : events
  return postLines(
    hub,
    at,
    list.map((event) => JSON.stringify(event)),
    options,
  )
}

/** As `post`, for events that are JSON already. */
export function postLines(
  hub: Hub,
  at: RunAddress,
  lines: readonly string[],
  options: PostOptions,
): Promise<Posted> {
  const { producer, blobs = [] } = options
  const isPack = blobs.length > 0
  const key = options.key ?? (lines.length === 1 && !producer ? randomName() : undefined)
  const request: HubRequest = {
    method: 'POST',
    path: paths.sync(at),
    headers: {
      'session-id': at.run,
      'content-type': isPack ? packType : lines.length === 1 ? 'application/json' : 'application/x-ndjson',
      ...(producer && producerHeaders(producer)),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    // Made once: a retry has to send the very same bytes, or the hub would take it for another message.
    body: isPack ? packOf(blobs, lines) : lines.join('\n'),
  }
  // Blobs alone may be sent any number of times.
  const send = producer || key !== undefined || lines.length === 0 ? call : callOnce
  return confirm(
    options,
    (options) => send(hub, request, Posted, options),
    (cause) => new Unconfirmed(cause, key, adviceFor(producer, key)),
  )
}

const encoder = new TextEncoder()

function packOf(blobs: readonly PackedBlob[], lines: readonly string[]): Uint8Array[] {
  const once = [...new Map(blobs.map((blob) => [blob.hash, blob])).values()]
  return packPieces(once, lines.length > 0 ? encoder.encode(lines.join('\n')) : undefined)
}

function adviceFor(producer: ProducerStamp | undefined, key: string | undefined): string {
  if (producer) return `Send the same events again from seq ${producer.seq}`
  if (key !== undefined) return `Send it again with the key ${key}`
  return 'Give a batch a producer stamp to have it sent again safely'
}

function producerHeaders({ id, epoch, seq }: ProducerStamp): Record<string, string> {
  return { 'producer-id': id, 'producer-epoch': String(epoch), 'producer-seq': String(seq) }
}
