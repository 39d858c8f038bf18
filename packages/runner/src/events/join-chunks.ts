import type { Notification } from '@farhand/protocol/wire/event'

/** An event as it is sent, and how many journal entries it stands for. */
export type Joined = { event: Notification; entries: number }

const chunks = new Set(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'])
// A character takes six bytes of JSON at most, so a joined text is never so large that it must become a blob.
const mostCharacters = 32 * 1024

/** Whether the second event continues the message of the first, and both are nothing but text (W28). */
export function goesOn(first: Notification | null, second: Notification): boolean {
  return (
    first !== null &&
    first.method === second.method &&
    chunks.has(first.method) &&
    first.params?.messageId === second.params?.messageId &&
    isPlain(first) &&
    isPlain(second)
  )
}

function isPlain({ params = {} }: Notification): boolean {
  for (const name in params) if (name !== 'text' && name !== 'messageId') return false
  return typeof params.text === 'string'
}

/**
 * Joins consecutive chunks of one message, up to a bound (W28). `joined` tells how many entries an event stands for,
 * so that stored entries can be counted (`entriesIn`).
 */
export function joinChunks(events: readonly Notification[]): Joined[] {
  const joined: Joined[] = []
  for (let from = 0; from < events.length; ) {
    const first = events[from]!
    let text = first.params?.text as string
    let to = from + 1
    for (; to < events.length && goesOn(first, events[to]!); to++) {
      const more = events[to]!.params!.text as string
      if (text.length + more.length > mostCharacters) break
      text += more
    }
    const entries = to - from
    const event = entries === 1 ? first : { ...first, params: { ...first.params, text, joined: entries } }
    joined.push({ event, entries })
    from = to
  }
  return joined
}
