import { eventName } from '@farhand/protocol/events/event-names'
import { FileChanges } from '@farhand/protocol/methods/files'
import { GitCommit } from '@farhand/protocol/methods/git'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** Counts of what has happened in a run since the user last looked at it. */
export type UnseenEvents = {
  after: number
  events: number
  turns: number
  messages: number
  files: Set<string>
  questions: number
  commits: number
  from: string | null
  until: string | null
}

export const nothingUnseen = (after: number): UnseenEvents => ({
  after,
  events: 0,
  turns: 0,
  messages: 0,
  files: new Set(),
  questions: 0,
  commits: 0,
  from: null,
  until: null,
})

/** Counts one more event. It changes the object it is given. */
export function countUnseen(since: UnseenEvents, { timestamp, notification }: SeenEvent): UnseenEvents {
  const { method, params } = notification
  const name = eventName(method)
  since.events += 1
  since.from ??= timestamp
  since.until = timestamp
  if (name === 'turn_complete') since.turns += 1
  if (name === 'user_message') since.messages += 1
  if (name === 'agent_question') since.questions += 1
  if (name === 'git_commit' && GitCommit.safeParse(params).data?.kind === 'commit') since.commits += 1
  if (name === 'file_change') {
    const said = FileChanges.safeParse(params).data
    const changes = said ? ('files' in said && Array.isArray(said.files) ? said.files : [said]) : []
    for (const { path } of changes as { path: string }[]) since.files.add(path)
  }
  return since
}

const mostNamed = 3

/** One line for the user; null if nothing worth mentioning has happened. */
export function sinceInWords({
  turns,
  messages,
  files,
  questions,
  commits,
  from,
}: UnseenEvents): string | null {
  const named = [...files].slice(0, mostNamed).join(', ')
  const more = files.size > mostNamed ? ` and ${files.size - mostNamed} more` : ''
  const parts = [
    messages > 0 && count(messages, 'message'),
    turns > 0 && `${count(turns, 'turn')} ended`,
    files.size > 0 && `${count(files.size, 'file')} changed (${named}${more})`,
    commits > 0 && count(commits, 'commit'),
    questions > 0 && count(questions, 'question'),
  ].filter((part) => part !== false)
  if (parts.length === 0) return null
  const when = from === null ? '' : ` (from ${from.slice(0, 16).replace('T', ' ')} UTC)`
  return `Since you looked last${when}: ${parts.join(', ')}.`
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
