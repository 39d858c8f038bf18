import { plainLine, plainText, shortened } from '@farhand/protocol/text/plain-text'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { Item, MarkItem, MessageItem, QuestionItem, ToolItem } from '@farhand/story/items/story'
import { startsAgain } from '@farhand/story/wording/starts-again'
import { nameOf } from './files-changed-notice.ts'

/** Our heading, and the quotation below it. */
type Part = { heading: string; quote?: string }

const mostOfMessage = 6000
const mostPaths = 100

/** What an agent is told of an item; empty if nothing. Every quoted line is marked, so that it cannot pass for our own words. */
export function itemInBriefing(item: Item): string {
  const parts = partsOf(item).map(({ heading, quote = '' }) => {
    const lines = quote === '' ? [] : plainText(quote).trim().split('\n')
    return [`[${heading}]`, ...lines.map((line) => `> ${line}`)].join('\n')
  })
  return parts.join('\n\n')
}

/** Whether an agent is told of such an item at all. A text grows with nearly every event: its parts are only made when they are told. */
export const isBriefed = (item: Item): boolean => item.kind === 'words' || partsOf(item).length > 0

function partsOf(item: Item): Part[] {
  switch (item.kind) {
    case 'message':
      return messageParts(item)
    case 'words':
      return [{ heading: 'The agent said', quote: endsOf(item.text, 1600, 800) }]
    case 'tool':
      return item.report ? [] : toolParts(item)
    case 'question':
      return questionParts(item)
    case 'files': {
      const names = item.files.slice(0, mostPaths).map(({ path }) => nameOf(path))
      const list = shortened(names.sort().join(', '), 1500)
      return [{ heading: `Files changed by ${whoIs(item.by)}: ${list}` }]
    }
    case 'shell':
      return [{ heading: `A command was run by ${whoIs(item.by)}`, quote: endsOf(item.command, 800, 0) }]
    case 'turn-end':
      return [{ heading: `The turn ended: ${shortened(plainLine(item.stopReason), 100)}` }]
    case 'mark':
      return markParts(item)
    case 'notice':
      return item.text === startsAgain
        ? [{ heading: 'The agent was started again, to continue with that message' }]
        : []
    case 'thought':
    case 'plan':
      return []
  }
}

function messageParts({ state, text, attachments }: MessageItem): Part[] {
  if (state === 'waiting' || state === 'withdrawn') return []
  const names = attachments.map(({ name }) => `\n(attached: ${plainLine(name)})`).join('')
  const quote = endsOf(shortened(text, mostOfMessage) + shortened(names, 1000), 4000, 2000)
  return [{ heading: 'The user said', quote }]
}

function toolParts({ title, status, content, output, question }: ToolItem): Part[] {
  const said = content.flatMap((part) => {
    if (part.is === 'text') return [part.text]
    return part.is === 'diff' ? [`(changes ${plainLine(part.path)})`] : []
  })
  const result = said.join('\n') || (typeof output === 'string' ? output : '')
  const name = shortened(plainLine(title) || 'without a name', 300)
  return [
    { heading: `A tool of the agent, ${status}: ${name}`, quote: endsOf(result, 400, 400) },
    ...(question ? questionParts(question) : []),
  ]
}

function questionParts({ asked, state, answer, answeredBy }: QuestionItem): Part[] {
  const asking = { heading: 'The agent asked the user', quote: endsOf(asked.question, 1000, 0) }
  if (answeredBy !== null) {
    const who = typeof answeredBy === 'string' ? plainLine(answeredBy) : whoIs(answeredBy)
    const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '')
    return [asking, { heading: `Answered by ${who}`, quote: endsOf(text, 1000, 0) }]
  }
  const isEnded = state === 'expired' || state === 'cancelled' || state === 'superseded'
  return [asking, ...(isEnded ? [{ heading: `The question was ${state}` }] : [])]
}

function markParts({ mark }: MarkItem): Part[] {
  if (mark.is === 'forked')
    return [{ heading: 'Here this run parts from the one before; what was under way there ends here' }]
  if (mark.is !== 'commit') return []
  const quote = mark.message ? endsOf(mark.message, 400, 0) : ''
  return [{ heading: `Commit ${mark.sha.slice(0, 12)} by ${whoIs(mark.by)}`, quote }]
}

function whoIs(by: SeenAuthor): string {
  if (by.kind === 'runner') return 'the agent'
  return by.kind === 'device' ? `the user (${plainLine(by.id)})` : by.kind === 'hub' ? 'the hub' : 'the user'
}

/** A text if it is short enough, or else its beginning and its end, and how much is missing between them. */
export function endsOf(text: string, mostHead: number, mostTail: number): string {
  const missing = text.length - mostHead - mostTail
  if (missing <= 0) return text.toWellFormed()
  const gap = `… (${missing.toLocaleString('en')} characters are left out) …`
  return `${text.slice(0, mostHead)}${gap}${text.slice(text.length - mostTail)}`.toWellFormed()
}
