import { crc32 } from 'node:zlib'
import type { Author, KeyStamp, ProducerStamp, StoredEvent } from '@farhand/protocol/wire/event'
import { jsonRpc } from '@farhand/protocol/wire/event'
import { wireName } from '@farhand/protocol/wire/wire-names'

const afterId = ',"type":"notification","timestamp":"'
const afterTime = '","notification":'
const timestampLength = '2026-01-01T00:00:00.000Z'.length

/** How many bytes after the comma that ends the id the notification begins. */
export const notificationOffset = afterId.length + timestampLength + afterTime.length

/**
 * The line of an event, with its line feed. The order of the members must not change: readers of the bytes find the id at the front and
 * cut the notification out by position (`notificationOffset`, `endOfNotification`).
 */
export function encodeLine(event: StoredEvent): string {
  const { id, timestamp, notification, by, producer, key, life } = event
  const line = `{"id":${id}${afterId}${timestamp}${afterTime}${JSON.stringify(notification)},"by":${author(by)}${
    producer ? `,"producer":${stamp(producer)}` : ''
  }${key ? `,"key":${keyStamp(key)}` : ''}${life === undefined ? '' : `,"life":${life}`}`
  return `${line}${sumName}${sumOf(line)}"}\n`
}

/** The checksum of a stored line, over everything before it in the line. It detects damage, not forgery. */
const sumOf = (before: string | Uint8Array): string => crc32(before).toString(16).padStart(8, '0')

const sumName = ',"sum":"'
const sumNameBytes = Buffer.from(sumName)
/** How many bytes before its end the checksum of a line begins. */
const sumLength = sumName.length + 8 + '"}'.length

/** Whether the checksum of each of these whole lines is right. Lines of an older hub have none and are accepted. */
export function areAsWritten(lines: Buffer): boolean {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(0x0a, start)
    if (end < 0) return true
    const at = end - sumLength
    if (at > start && sumNameBytes.equals(lines.subarray(at, at + sumName.length))) {
      const said = lines.toString('latin1', at + sumName.length, end - 2)
      if (said !== sumOf(lines.subarray(start, at))) return false
    }
    start = end + 1
  }
  return true
}

function author(by: Author): string {
  if (by.kind === 'runner') return `{"kind":"runner","generation":${by.generation}}`
  if (by.kind === 'hub') return '{"kind":"hub"}'
  return `{"kind":"${by.kind}","id":${JSON.stringify(by.id)}}`
}

const stamp = (of: ProducerStamp) => `{"id":${JSON.stringify(of.id)},${encodedSeq(of.epoch, of.seq)}`
const keyStamp = (of: KeyStamp) => `{"key":${JSON.stringify(of.key)},"body":${JSON.stringify(of.body)}}`

/** The end of an event's producer stamp in its line. */
export const encodedSeq = (epoch: number, seq: number): string => `"epoch":${epoch},"seq":${seq}}`

/** The event of a line (without its line feed), or null if these bytes are no stored event. */
export function decodeLine(line: string): StoredEvent | null {
  let event: Partial<StoredEvent> | null
  try {
    event = JSON.parse(line)
  } catch {
    return null
  }
  const at = line.length - sumLength
  if (line.startsWith(sumName, at)) {
    if (line.slice(at + sumName.length, -2) !== sumOf(line.slice(0, at))) return null
    delete (event as { sum?: string }).sum
  }
  // Only this hub writes the file, so a quick check of the shape is enough to detect damage.
  if (!Number.isSafeInteger(event?.id) || typeof event?.timestamp !== 'string') return null
  if (typeof event.notification?.method !== 'string' || typeof event.by?.kind !== 'string') return null
  return event as StoredEvent
}

const comma = 0x2c
const quote = 0x22
const letterB = 0x62
const letterY = 0x79
const colon = 0x3a
const letterR = 0x72
const idAt = '{"id":'.length

/** The id of the line that begins at `at`, or 0 if no stored line begins there. */
export function idOfLine(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x7b || bytes[at + 2] !== 0x69 || bytes[at + idAt - 1] !== colon) return 0
  let id = 0
  let digit = at + idAt
  for (; digit < bytes.length; digit += 1) {
    const value = bytes[digit]! - 0x30
    if (value < 0 || value > 9) break
    id = id * 10 + value
  }
  return bytes[digit] === comma ? id : 0
}

/**
 * Where the notification of the line that ends at `lineFeed` stops: at the last `,"by":`. None can follow it, since quotes inside
 * strings are escaped and no stamp has such a member; earlier ones belong to the notification.
 */
export function endOfNotification(bytes: Uint8Array, lineFeed: number): number {
  let at = lineFeed - ',"by":{}}'.length
  while (
    at > 0 &&
    !(
      bytes[at] === comma &&
      bytes[at + 1] === quote &&
      bytes[at + 2] === letterB &&
      bytes[at + 3] === letterY &&
      bytes[at + 4] === quote &&
      bytes[at + 5] === colon
    )
  ) {
    at -= 1
  }
  return at
}

/** Whether a runner wrote the line whose notification stops at `end`: no other kind begins with this letter. */
export function isByRunner(bytes: Uint8Array, end: number): boolean {
  return bytes[end + ',"by":{"kind":"'.length] === letterR
}

const marks = ['ack', 'turn_complete', 'agent_question', 'question_closed'].map((name) =>
  Buffer.from(JSON.stringify({ ...jsonRpc, method: wireName(name) }).slice(0, -1)),
)

/**
 * Whether the notification at `start` is a turn marker, which says how far a runner has come. It must have its members in our order to be
 * recognized.
 */
export function isMark(bytes: Uint8Array, start: number): boolean {
  return marks.some((mark) => mark.every((byte, at) => bytes[start + at] === byte))
}
