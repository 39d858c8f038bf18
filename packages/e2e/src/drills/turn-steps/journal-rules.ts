import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** All that one runner had written down to be said, as it was found when that runner was dead. */
export type Journal = { generation: number; entries: readonly Notification[] }

const pastTheJournal = new Set(['_posthog/file_change', '_posthog/file_kept'])

/**
 * What is wrong with a log, compared with the journals of its runners: all events are in it, once and in order, whichever runner
 * sent them. A journal begins with the events that the one before had not sent.
 */
export function wrongJournals(journals: readonly Journal[], events: readonly SeenEvent[]): string[] {
  const spoken = events.filter(
    ({ by, notification }) => by.kind === 'runner' && !pastTheJournal.has(notification.method),
  )
  const said: Notification[] = []
  let left = 0
  for (const { generation, entries } of journals) {
    said.push(...entries.slice(left))
    const own = spoken.filter(({ by }) => by.kind === 'runner' && by.generation === generation)
    left = entries.length - own.reduce((sum, { notification }) => sum + entriesIn(notification), 0)
    if (left < 0) return [`generation ${generation} said ${-left} more than is in its journal`]
  }
  const wanted = wordsOf(said)
  const found = wordsOf(spoken.map(({ notification }) => notification))
  const wrong = found.findIndex((word, at) => word !== wanted[at])
  if (wrong !== -1) return [`the log has ${found[wrong]} where a journal has ${wanted[wrong]}`]
  const missing = wanted[found.length]
  return missing === undefined ? [] : [`${missing} is in a journal and not in the log`]
}

function entriesIn({ params }: Notification): number {
  return typeof params?.joined === 'number' ? params.joined : 1
}

/** As words that are the same however chunks of one message were joined. */
function wordsOf(entries: readonly Notification[]): string[] {
  const words: string[] = []
  let chunks = null as { method: string; text: string } | null
  for (const { method, params = {} } of entries) {
    const text = method.endsWith('_chunk') ? String(params.text) : null
    if (text !== null && chunks?.method === method) {
      chunks.text += text
      words[words.length - 1] = `${method} ${chunks.text}`
      continue
    }
    chunks = text === null ? null : { method, text }
    words.push(`${method} ${text ?? JSON.stringify(params)}`)
  }
  return words
}
