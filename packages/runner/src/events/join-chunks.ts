import type { Notification } from '@farhand/protocol/wire/event'

/** An event as it goes out, and how many of those that were said it stands for. */
export type Joined = { event: Notification; entries: number }

const chunks = new Set(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'])
// Written as JSON a character has six bytes at most, so what is joined is never so large that it has to become a blob.
const mostCharacters = 32 * 1024

/** Whether the second goes on with the message of the first, and both are nothing but text (W28). */
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
 * The same with consecutive chunks of one message joined, up to a bound (W28). An event that stands for several says
 * for how many: whoever counts what of a journal is in the log has to know (`entriesIn`).
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
