import type { PackedBlob } from '@farhand/client/post/post'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Joined } from './join-chunks.ts'
import { headOf, inBlob, withoutLargeValues } from './large-values.ts'

/** An event that the hub accepts, the blobs it names, and how many journal entries it stands for. */
export type Sendable = {
  event: Notification
  blobs: readonly PackedBlob[]
  entries: number
  /** The original event and the reason, if an error event is sent instead. */
  refused?: { event: Notification; why: unknown }
}

/**
 * Turns an event into one that the hub accepts: large values become blobs, and an event that no hub would accept
 * becomes an error event.
 */
export function sendable({ event, entries }: Joined): Sendable {
  try {
    const slim = withoutLargeValues(event)
    if (!slim) return tooLarge(event, entries)
    checkNotification(slim.event, 'runner')
    return { ...slim, entries }
  } catch (why) {
    // Every hub would refuse it, too.
    return { event: insteadOf(event, entries, why), blobs: [], entries, refused: { event, why } }
  }
}

/**
 * The error event for one that cannot be stored, so that nothing is lost silently. It stands for as many entries, so
 * that stored entries can be counted.
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
  const message = headOf(`An event of the agent (${method.slice(0, 200)}) is missing here: ${why}`)
  const joined = entries > 1 ? { joined: entries } : {}
  return event('error', { message, error: { said }, ...joined })
}
