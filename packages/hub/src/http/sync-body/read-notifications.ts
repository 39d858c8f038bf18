import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { translateMessage } from '@farhand/protocol/compatibility/translate-message'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import type { Author, KeyStamp, Notification, ProducerStamp } from '@farhand/protocol/wire/event'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { randomName } from '@farhand/protocol/wire/ids'
import { limits } from '@farhand/protocol/wire/limits'
import type { Batch } from '../../log/event-log.ts'
import { parseJson } from '../exchange/body.ts'
import { header, wholeNumber } from '../exchange/exchange.ts'

/** The values in a body: one value, an array, or one per line. */
export function bodyValues(text: string, kind: 'json' | 'ndjson'): { values: unknown[]; isBatch: boolean } {
  const read = kind === 'ndjson' ? lines(text) : parseJson(text)
  const values = Array.isArray(read) ? read : [read]
  if (values.length === 0) throw malformed('body', 'holds no notification')
  if (values.length > limits.eventsPerRequest) {
    throw new Fault(
      'request.too-large',
      `a request may carry ${limits.eventsPerRequest} events; send the rest in a second one`,
    )
  }
  return { values, isBatch: Array.isArray(read) }
}

// Stops one value after the limit: parsing millions of lines would block all other requests.
function lines(text: string): unknown[] {
  const values: unknown[] = []
  for (let from = 0; from < text.length && values.length <= limits.eventsPerRequest; ) {
    const feed = text.indexOf('\n', from)
    const end = feed < 0 ? text.length : feed
    const line = text.slice(from, end)
    from = end + 1
    if (line.trim() !== '') values.push(parseJson(line, `line ${values.length + 1}`))
  }
  return values
}

/** The values as notifications in current method names, without other fields. An error names the index of the first bad value. */
export function readNotifications(
  values: readonly unknown[],
  by: Author,
  keep?: (content: string, hash: unknown) => string,
): Notification[] {
  return values.map((sent, index) => {
    try {
      checkWritable(sent)
      const value = translateMessage(sent, { by, newId: (prefix) => `${prefix}_${randomName()}`, keep })
      checkNotification(value, by.kind)
      const { jsonrpc, method, params } = value
      return params === undefined ? { jsonrpc, method } : { jsonrpc, method, params }
    } catch (error) {
      throw values.length > 1 && error instanceof Fault ? inBatch(error, index) : error
    }
  })
}

function inBatch(fault: Fault, index: number): Fault {
  const field = [index, fault.details.field].filter((part) => part !== undefined).join('.')
  return new Fault(fault.code, `notification ${index}: ${fault.message}`, { ...fault.details, field })
}

/** Refuses values that the log could not store unchanged. */
export function checkWritable(value: unknown): void {
  const trouble = unwritable(value, limits.eventDepth)
  if (trouble) throw malformed('body', trouble)
}

function unwritable(value: unknown, room: number): string | null {
  // JSON can say 1e999, which is read as infinite and written as null.
  if (value === Infinity || value === -Infinity) return 'holds a number that is too large to be kept'
  if (typeof value !== 'object' || value === null) return null
  if (room === 0) return `is nested more than ${limits.eventDepth} levels deep`
  for (const key in value) {
    const trouble = unwritable(value[key as keyof typeof value], room - 1)
    if (trouble) return trouble
  }
  return null
}

/** The events of a request as they are to be stored: by whom, and with the stamps of its headers. */
export function readBatch(
  req: IncomingMessage,
  by: Author,
  notifications: readonly Notification[],
  sent: readonly unknown[],
  bodyBytes: number,
): Batch {
  // Only blobs: no event could be stored twice.
  if (notifications.length === 0) return { notifications, by }
  checkSizes(notifications, bodyBytes)
  const producer = readProducer(req)
  const key = readKey(req)
  if (producer && key !== undefined) throw malformed('idempotency-key', 'goes without producer headers')
  const batch: Batch = { notifications, by }
  if (producer) batch.producer = producer
  if (key !== undefined) batch.key = keyStamp(key, sent)
  const life = readLife(req, by.kind)
  if (life !== undefined) batch.life = life
  return batch
}

// 1e20 has four bytes in a request and 21 in the log; no other value grows more.
const mostGrowth = 6

/** Refuses an event that is too large for a line of the log. Small bodies need no check. */
function checkSizes(notifications: readonly Notification[], bodyBytes: number): void {
  if (bodyBytes * mostGrowth <= limits.eventBytes) return
  for (const notification of notifications) {
    if (Buffer.byteLength(JSON.stringify(notification)) > limits.eventBytes) {
      throw new Fault(
        'request.too-large',
        `an event may have ${limits.eventBytes} bytes; put large values into blobs`,
      )
    }
  }
}

/** The producer headers: all three or none (W7). */
function readProducer(req: IncomingMessage): ProducerStamp | undefined {
  const id = header(req, 'producer-id')
  const epoch = wholeNumber(header(req, 'producer-epoch'), 'producer-epoch')
  const seq = wholeNumber(header(req, 'producer-seq'), 'producer-seq')
  if (id === undefined && epoch === undefined && seq === undefined) return undefined
  if (id === undefined || id === '' || id.length > 100)
    throw malformed('producer-id', 'expected 1 to 100 characters')
  if (epoch === undefined) throw malformed('producer-epoch', 'goes with producer-id and producer-seq')
  if (seq === undefined) throw malformed('producer-seq', 'goes with producer-id and producer-epoch')
  return { id, epoch, seq }
}

/** The Idempotency-Key header (W9). */
export function readKey(req: IncomingMessage): string | undefined {
  const key = header(req, 'idempotency-key')
  if (key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw malformed('idempotency-key', 'expected 1 to 200 printable characters without spaces')
  }
  return key
}

/** The Device-Life header, only for requests of a device (W34). */
function readLife(req: IncomingMessage, kind: Author['kind']): number | undefined {
  const life = wholeNumber(header(req, 'device-life'), 'device-life')
  if (life !== undefined && kind !== 'device') throw malformed('device-life', 'goes with device-id')
  return life
}

/** The stamp of a message with a key, made from the message as it was sent: what the hub adds differs each time. */
function keyStamp(key: string, sent: readonly unknown[]): KeyStamp {
  if (sent.length > 1) {
    throw malformed('idempotency-key', 'goes with a single message; a batch carries producer headers instead')
  }
  const { jsonrpc, method, params } = sent[0] as Partial<Notification>
  const message = method === undefined ? sent[0] : { jsonrpc, method, params }
  return { key, body: createHash('sha256').update(JSON.stringify(message)).digest('base64url') }
}
