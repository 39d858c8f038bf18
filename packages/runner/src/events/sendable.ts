import type { PackedBlob } from '@farhand/client/post/post'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Joined } from './join-chunks.ts'
import { headOf, inBlob, withoutLargeValues } from './large-values.ts'

/** An event that a hub of today takes, the blobs it names, and how many of those that were said it stands for. */
export type Sendable = {
  event: Notification
  blobs: readonly PackedBlob[]
  entries: number
  /** What was said, if it is only word of that which is sent, and why. */
  refused?: { event: Notification; why: unknown }
}

/** What is sent for what was said: large values as blobs, and word of what no hub would take in its place. */
export function sendable({ event, entries }: Joined): Sendable {
  try {
    const slim = withoutLargeValues(event)
    if (!slim) return tooLarge(event, entries)
    checkNotification(slim.event, 'runner')
    return { ...slim, entries }
  } catch (why) {
    // Whatever is wrong with it, a hub would find the same.
    return { event: insteadOf(event, entries, why), blobs: [], entries, refused: { event, why } }
  }
}

/**
 * What is said in place of an event that cannot be stored, so that nothing is missing without a word. It stands for
 * as many entries: what is in the log stays countable.
 */
export function insteadOf(event: Notification, entries: number, why: unknown): Notification {
  const reason = why instanceof Error ? why.message : String(why)
  return errorAbout(event, entries, `it could not be stored: ${reason}`, headOf(JSON.stringify(event)))
}

function tooLarge(event: Notification, entries: number): Sendable {
  const { marker, blob } = inBlob(event)
  const why = new Fault('request.too-large', 'it is too large for the log')
  const error = errorAbout(event, entries, why.message, marker)
  const instead = { ...error, params: { ...error.params, blobs: [blob.hash] } }
  return { event: instead, blobs: [blob], entries, refused: { event, why } }
}

function errorAbout({ method }: Notification, entries: number, why: string, said: unknown): Notification {
  const message = headOf(`Of what the agent said, a ${method.slice(0, 200)} is missing here: ${why}`)
  const joined = entries > 1 ? { joined: entries } : {}
  return event('error', { message, error: { said }, ...joined })
}
