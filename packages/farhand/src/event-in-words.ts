import { AgentStart, SessionUpdate, ToolCall } from '@farhand/protocol/methods/agent'
import { Ack, TurnComplete, UserMessage } from '@farhand/protocol/methods/conversation'
import { type FileChange, FileChanges } from '@farhand/protocol/methods/files'
import { PrCreated } from '@farhand/protocol/methods/git'
import { Forked, Rewind } from '@farhand/protocol/methods/lifecycle'
import { Console, ErrorReport } from '@farhand/protocol/methods/reports'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import { z } from 'zod'
import { pathInWords } from './path-in-words.ts'
import { phaseInWords } from './phase-in-words.ts'
import { QuestionEnds } from './question-ends.ts'
import { runInWords } from './run-in-words.ts'
import { firstLine, shownText } from './shown-text.ts'

/** How a piece of what happens is shown: words and thoughts as they come, everything else in lines. */
export type Piece =
  | { as: 'words' | 'thought'; text: string }
  | { as: 'line' | 'faint' | 'warning'; text: string }
  /** What a tool is about, and what came of it once it is over. */
  | {
      as: 'tool'
      id: string
      name: string
      state: 'begun' | 'done' | 'failed'
      said: string
      content: unknown[]
    }
  /** What is going on, until the next thing happens. */
  | { as: 'status'; text: string }

const Entries = z.looseObject({
  sessionUpdate: z.literal('plan'),
  entries: z.array(z.looseObject({ content: z.string(), status: z.string().optional() })),
})
const Shown = z.looseObject({
  title: z.string().nullish(),
  content: z.array(z.unknown()).nullish().catch(null),
})
const Diff = z.looseObject({ type: z.literal('diff') })
const TextContent = z.looseObject({ content: z.looseObject({ text: z.string() }) })
const Failed = z.looseObject({ error: z.looseObject({ message: z.string() }) })
const manyFiles = 5
/** Of what programs tell about themselves only this is for everybody. */
const loud = new Set(['warn', 'warning', 'error'])

/** A tool that is not over: what it would change, and of that what somebody was shown. */
type Begun = { name: string; changes: unknown[]; shown: string }

/** Turns events into what people read of them; remembers what later events are about. */
export class EventsInWords {
  readonly questions = new QuestionEnds()
  readonly #isFar: boolean
  readonly #tools = new Map<string, Begun>()
  readonly #plan = new Map<string, string>()
  readonly #said: string[] = []
  /** The message that was taken on last. */
  #takenOn: unknown = null
  /** Messages that were said into the turn of another, which also ends them. */
  readonly #joined = new Set<number>()

  constructor(isFar = false) {
    this.#isFar = isFar
  }

  /** What is about to be said here is on the screen already: it need not be shown when it comes back. */
  saying(content: string): void {
    this.#said.push(content)
  }

  /** What a tool that is not over would change, for whoever is asked about that: it is not shown again at its end. */
  changesOf(toolCallId: string): readonly unknown[] {
    const tool = this.#tools.get(toolCallId)
    if (!tool) return []
    tool.shown = JSON.stringify(tool.changes)
    return tool.changes
  }

  /** What people read of it: nothing in that is a command to their terminal. */
  take(event: SeenEvent): Piece[] {
    return this.#pieces(event).map((piece) =>
      'text' in piece ? { ...piece, text: shownText(piece.text) } : piece,
    )
  }

  #pieces(event: SeenEvent): Piece[] {
    const { method, params = {} } = event.notification
    switch (method) {
      case 'agent_message_chunk':
        return [{ as: 'words', text: shownText(String(params.text ?? '')) }]
      case 'agent_thought_chunk':
        return [{ as: 'thought', text: shownText(String(params.text ?? '')) }]
      case 'tool_call':
      case 'tool_result':
        return this.#tool(params, method === 'tool_result')
      case 'session/update':
        return this.#update(params)
      case '_posthog/file_change':
      case '_posthog/file_sync':
        return files(params, (method === '_posthog/file_sync') !== this.#isFar, this.#takenOn === null)
      case '_posthog/user_message':
        return this.#message(params)
      case '_posthog/turn_complete':
        return this.#turnEnd(params)
      case '_posthog/agent_question':
        this.questions.asked(params)
        return []
      case '_posthog/user_response':
        this.questions.answered(params, event.by)
        return []
      case '_posthog/question_closed':
        return this.questions.closed(params).map(faint)
      case '_posthog/agent_start': {
        const how = AgentStart.safeParse(params).data?.how
        return how === 'briefed' ? [faint('The agent was told what had happened before.')] : []
      }
      case '_posthog/error':
        return [warning(ErrorReport.safeParse(params).data?.message ?? 'something went wrong')]
      case '_posthog/console': {
        const said = Console.safeParse(params).data
        return said && loud.has(said.level) ? [warning(said.message)] : []
      }
      case '_posthog/rewind':
        return [faint(`The conversation goes on from event ${Rewind.safeParse(params).data?.to ?? '?'}.`)]
      case '_posthog/forked': {
        const from = Forked.safeParse(params).data
        return [faint(from ? `Forked from ${runInWords(from.run)} after event ${from.event}.` : 'Forked.')]
      }
      case '_posthog/session_start':
      case '_posthog/moved':
        return movedInWords(params.sandbox)
      case '_posthog/pr_created':
        return prInWords(params)
      case '_posthog/phase_start':
      case '_posthog/phase_complete':
      case '_posthog/status':
        return phaseInWords(method, params)
      case '_posthog/ack':
        return [...this.#again(params), { as: 'status', text: 'working' }]
      default:
        return []
    }
  }

  #tool(params: Record<string, unknown>, isResult: boolean): Piece[] {
    const call = ToolCall.safeParse(params).data
    if (!call) return []
    const { title, content } = Shown.parse({ title: undefined, content: undefined, ...params })
    const before = this.#tools.get(call.toolCallId)
    const name = (title && firstLine(title)) || before?.name || 'a tool'
    const diffs = (content ?? []).filter((one) => Diff.safeParse(one).success)
    // Some tell what they change when they ask whether they may, and at the end only that it is done.
    const changes = diffs.length > 0 ? diffs : (before?.changes ?? [])
    const isOver = isResult || ['completed', 'failed'].includes(call.status ?? '')
    const tool = { as: 'tool' as const, id: call.toolCallId, name }
    if (!isOver) {
      this.#tools.set(call.toolCallId, { name, changes, shown: before?.shown ?? '' })
      return [{ ...tool, content: changes, state: 'begun', said: '' }]
    }
    this.#tools.delete(call.toolCallId)
    const isFailed = call.status === 'failed'
    const isNews = (diffs.length > 0 || !isFailed) && JSON.stringify(changes) !== before?.shown
    const said = printed((content ?? []).map(textOf).join('\n'))
    return [
      {
        ...tool,
        content: isNews ? changes : [],
        state: isFailed ? 'failed' : 'done',
        said: said === name ? '' : said,
      },
    ]
  }

  /** Only after a death is a message taken on twice (W29). */
  #again(params: Record<string, unknown>): Piece[] {
    const { id, into } = Ack.safeParse(params).data ?? {}
    if (id !== undefined && into === undefined) this.#joined.delete(id)
    else if (id !== undefined) this.#joined.add(id)
    const isAgain = id === this.#takenOn
    this.#takenOn = id
    return isAgain ? [warning('The agent was cut short, and takes this message up again.')] : []
  }

  #update(params: Record<string, unknown>): Piece[] {
    const update = SessionUpdate.safeParse(params).data?.update
    if (update?.sessionUpdate === 'tool_call_update') return this.#tool(update, false)
    const plan = Entries.safeParse(update).data
    if (!plan) return []
    return plan.entries.flatMap(({ content, status = 'pending' }) => {
      if (this.#plan.get(content) === status) return []
      this.#plan.set(content, status)
      return [{ as: 'line' as const, text: `${marks[status] ?? '[ ]'} ${firstLine(content)}` }]
    })
  }

  #turnEnd(params: Record<string, unknown>): Piece[] {
    const turn = TurnComplete.safeParse(params).data
    if (!turn) return []
    const { messageId, stopReason, into } = turn
    // One that the agent had not heard of yet is cancelled with the turn, and its end does not say where it belonged.
    const isJoined = this.#joined.delete(messageId) && stopReason === 'cancelled'
    if (stopReason === 'end_turn' || into !== undefined || isJoined) return []
    const why = Failed.safeParse(params).data?.error.message
    return [warning(`${stops[stopReason] ?? `The turn ended: ${stopReason}.`}${why ? ` ${why}` : ''}`)]
  }

  #message(params: Record<string, unknown>): Piece[] {
    const message = UserMessage.safeParse(params).data
    if (!message) return []
    const at = this.#said.indexOf(message.content)
    if (at !== -1) {
      this.#said.splice(at, 1)
      return []
    }
    return [{ as: 'line', text: `> ${shownText(message.content)}` }]
  }
}

const marks: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[>]', pending: '[ ]' }

function prInWords(params: Record<string, unknown>): Piece[] {
  const pr = PrCreated.safeParse(params).data
  if (!pr) return []
  const pushed = pr.branch === undefined ? 'A branch was pushed' : `${shownText(pr.branch)} was pushed`
  return [{ as: 'line', text: pr.opened === false ? `${pushed}: ${pr.prUrl}` : `Pull request: ${pr.prUrl}` }]
}

const faint = (text: string): Piece => ({ as: 'faint', text })
const warning = (text: string): Piece => ({ as: 'warning', text: shownText(text) })

/** The first line of what a tool printed, without the marks that some put around all of it. */
const printed = (text: string) =>
  firstLine(text.replace(/^\s*```\w*[ \t]*(?:\n|$)/, '').replace(/^\s*```\s*$/, ''))

const textOf = (content: unknown) => TextContent.safeParse(content).data?.content.text ?? ''

function files(params: Record<string, unknown>, comesIn: boolean, isFirst: boolean): Piece[] {
  const said = FileChanges.safeParse(params).data
  if (!said) return []
  const changes = ('files' in said ? said.files : [said]) as readonly FileChange[]
  const arrow = comesIn ? '←' : '→'
  // What a run begins with comes in many pieces, and how far that is has a line of its own.
  if (changes.length > manyFiles && isFirst && !comesIn) return []
  if (changes.length > manyFiles) return [faint(`${arrow} ${changes.length.toLocaleString('en')} files`)]
  return changes.map(({ path, action }) =>
    faint(`${arrow} ${pathInWords(path)}${action === 'modified' ? '' : `  ${action}`}`),
  )
}

const stops: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled.',
  failed: 'The turn failed.',
  interrupted: 'The agent died of this message twice; the turn is over.',
  limit: 'Stopped at the limit.',
  refusal: 'The agent refuses to go on.',
  max_tokens: 'The model has no room left for this answer.',
  max_turn_requests: 'The agent has asked its model as often as it may in one turn.',
}

/** Nothing of a runner that begins where the one before it was. */
const movedInWords = (sandbox: unknown): Piece[] =>
  sandbox === undefined
    ? []
    : [faint(`It works ${sandbox === 'none' ? 'on a device' : 'in a sandbox'} from here on.`)]

/** Whether what the agent was saying is over with this: whatever comes next is about another message. */
export const endsTurn = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'
