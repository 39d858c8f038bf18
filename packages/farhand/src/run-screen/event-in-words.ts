import { pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { eventName, isEvent } from '@farhand/protocol/events/event-names'
import { AgentStart, SessionUpdate, ToolCall, UserMessageChunk } from '@farhand/protocol/methods/agent'
import { ModeChange } from '@farhand/protocol/methods/control'
import { Ack, TurnComplete, UserMessage } from '@farhand/protocol/methods/conversation'
import { type FileChange, FileChanges } from '@farhand/protocol/methods/files'
import { PrCreated } from '@farhand/protocol/methods/git'
import { Forked, Rewind } from '@farhand/protocol/methods/lifecycle'
import { Console, ErrorReport } from '@farhand/protocol/methods/reports'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { z } from 'zod'
import {
  type AgentOffers,
  agentOffers,
  noOffers,
  offerChanges,
  runModeInWords,
} from '../agent-controls/agent-offers.ts'
import {
  artifactInWords,
  fileContentInWords,
  lastLines,
  sandboxOutputInWords,
} from '../output/report-in-words.ts'
import { toolOutput } from '../output/tool-output.ts'
import { firstLine, shownText } from '../printing/shown-text.ts'
import { phaseInWords } from './phase-in-words.ts'
import type { Piece } from './piece.ts'
import { QuestionEnds } from './question-ends.ts'

const Entries = z.looseObject({
  sessionUpdate: z.literal('plan'),
  entries: z.array(z.looseObject({ content: z.string(), status: z.string().optional() })),
})
const Shown = z.looseObject({
  title: z.string().nullish().catch(null),
  kind: z.string().nullish().catch(null),
  content: z.array(z.unknown()).nullish().catch(null),
  rawOutput: z.unknown(),
})
const Diff = z.looseObject({ type: z.literal('diff') })
const Failed = z.looseObject({
  error: z.looseObject({ message: z.string(), raw: z.string().optional().catch(undefined) }),
})
const manyFiles = 5
/** Levels that only help to find faults. */
const quiet = new Set(['debug', 'trace'])
const loud = new Set(['warn', 'warning', 'error'])

/** A tool call that is not over: the changes it would make, and which of them were shown. */
type Begun = {
  name: string
  kind: string | null
  changes: unknown[]
  /** What the tool has printed so far. */
  output: readonly string[]
  shown: string
}

const mostAsked = 100_000

/** Turns events into pieces for the user; remembers what later events may refer to. */
export class EventsInWords {
  readonly questions = new QuestionEnds()
  readonly #isFar: boolean
  readonly #tools = new Map<string, Begun>()
  readonly #plan = new Map<string, string>()
  readonly #said: string[] = []
  /** The last messages, by which an agent that repeats one is known. */
  #asked = ''
  #offers = noOffers
  /** The message that the runner acknowledged last. */
  #takenOn: unknown = null
  /** Messages that were steered into another message's turn, and end with it. */
  readonly #joined = new Set<number>()

  constructor(isFar = false) {
    this.#isFar = isFar
  }

  /** The modes and settings that the agent offers, with their current values. */
  get offers(): AgentOffers {
    return this.#offers
  }

  /** The user is about to send this message, which is on the screen already: it is not shown when it comes back. */
  saying(content: string): void {
    this.#said.push(content)
  }

  /** The changes that an open tool call would make, to show with its question: they are not shown again at its end. */
  changesOf(toolCallId: string): readonly unknown[] {
    const tool = this.#tools.get(toolCallId)
    if (!tool) return []
    tool.shown = JSON.stringify(tool.changes)
    return tool.changes
  }

  /** The pieces for an event, without control characters. */
  take(event: SeenEvent): Piece[] {
    return [...this.#pieces(event), ...this.#inForce(event)].map((piece) =>
      'text' in piece ? { ...piece, text: shownText(piece.text) } : piece,
    )
  }

  /** Changes of the agent's modes and settings; the values it starts with are not shown. */
  #inForce(event: SeenEvent): Piece[] {
    const before = this.#offers
    this.#offers = agentOffers(before, event)
    if (!isEvent(event.notification, 'session/update')) return []
    return offerChanges(before, this.#offers).map((text) => ({ as: 'line', text }))
  }

  #pieces(event: SeenEvent): Piece[] {
    const { method, params = {} } = event.notification
    const name = eventName(method)
    switch (name) {
      case 'agent_message_chunk':
        return [{ as: 'words', text: shownText(String(params.text ?? '')) }]
      case 'agent_thought_chunk':
        return [{ as: 'thought', text: shownText(String(params.text ?? '')) }]
      case 'tool_call':
      case 'tool_result':
        return this.#tool(params, name === 'tool_result')
      case 'session/update':
        return this.#update(params)
      case 'file_change':
      case 'file_sync':
        return files(params, (name === 'file_sync') !== this.#isFar, this.#takenOn === null)
      case 'user_message':
        return this.#message(params)
      case 'turn_complete':
        return this.#turnEnd(params)
      case 'agent_question':
        this.questions.asked(params)
        return []
      case 'user_response':
        this.questions.answered(params, event.by)
        return []
      case 'question_closed':
        return this.questions.closed(params).map(faint)
      case 'agent_start': {
        const how = AgentStart.safeParse(params).data?.how
        return how === 'briefed' ? [faint('The agent was told what had happened before.')] : []
      }
      case 'error':
        return [warning(ErrorReport.safeParse(params).data?.message ?? 'something went wrong')]
      case 'console': {
        const said = Console.safeParse(params).data
        if (said && loud.has(said.level)) return [warning(said.message)]
        return said && !quiet.has(said.level) && said.message.trim() !== ''
          ? [faint(lastLines(said.message))]
          : []
      }
      case 'mode_change': {
        const said = ModeChange.safeParse(params).data
        return said ? [{ as: 'line', text: runModeInWords(said.mode, said.policy) }] : []
      }
      case 'rewind':
        return [faint(`The conversation goes on from event ${Rewind.safeParse(params).data?.to ?? '?'}.`)]
      case 'forked': {
        const from = Forked.safeParse(params).data
        return [faint(from ? `Forked from ${runInWords(from.run)} after event ${from.event}.` : 'Forked.')]
      }
      case 'session_start':
      case 'moved':
        return movedInWords(params.sandbox)
      case 'artifact':
        return artifactInWords(params).map(faint)
      case 'file_content':
        return fileContentInWords(params).map(faint)
      case 'sandbox_output':
        // Output with an id belongs to a user's command, which shows it itself.
        return params.id === undefined ? sandboxOutputInWords(params).map(faint) : []
      case 'user_message_chunk':
        return this.#echo(params)
      case 'pr_created':
        return prInWords(params)
      case 'phase_start':
      case 'phase_complete':
      case 'status':
        return phaseInWords(method, params)
      case 'ack':
        return [...this.#again(params), { as: 'status', text: 'working' }]
      default:
        return []
    }
  }

  #tool(params: Record<string, unknown>, isResult: boolean): Piece[] {
    const call = ToolCall.safeParse(params).data
    if (!call) return []
    const { title, content, rawOutput, ...said } = Shown.parse({ rawOutput: undefined, ...params })
    const before = this.#tools.get(call.toolCallId)
    const name = (title && firstLine(title)) || before?.name || 'a tool'
    const kind = said.kind ?? before?.kind ?? null
    const diffs = (content ?? []).filter((one) => Diff.safeParse(one).success)
    // Some agents tell the changes with their permission request, and at the end only that the tool is done.
    const changes = diffs.length > 0 ? diffs : (before?.changes ?? [])
    const printed = toolOutput(content ?? [], rawOutput)
    const output = printed.length > 0 ? printed : (before?.output ?? [])
    const isOver = isResult || ['completed', 'failed'].includes(call.status ?? '')
    const tool = { as: 'tool' as const, id: call.toolCallId, name, kind }
    if (!isOver) {
      this.#tools.set(call.toolCallId, { name, kind, changes, output, shown: before?.shown ?? '' })
      return [{ ...tool, content: changes, state: 'begun', output: [] }]
    }
    this.#tools.delete(call.toolCallId)
    const isFailed = call.status === 'failed'
    const isNews = (diffs.length > 0 || !isFailed) && JSON.stringify(changes) !== before?.shown
    const isOnlyName = output.length === 1 && output[0] === name
    return [
      {
        ...tool,
        content: isNews ? changes : [],
        state: isFailed ? 'failed' : 'done',
        output: isOnlyName ? [] : output,
      },
    ]
  }

  /** A message is acknowledged twice only after its agent has died (W29). */
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
    // A steered message that the agent has not seen yet is cancelled with the turn, without `into`.
    const isJoined = this.#joined.delete(messageId) && stopReason === 'cancelled'
    if (into !== undefined || isJoined) return []
    const { message: why, raw } = Failed.safeParse(params).data?.error ?? {}
    // The agent has ended its turn without any text: its model may have failed.
    if (stopReason === 'end_turn') return why === undefined ? [] : [warning(why)]
    const said = warning(`${stops[stopReason] ?? `The turn ended: ${stopReason}.`}${why ? ` ${why}` : ''}`)
    return [raw === undefined ? said : { ...said, raw: shownText(raw) }]
  }

  /** Agents repeat their messages: only text that is in no message of the log is shown. */
  #echo(params: Record<string, unknown>): Piece[] {
    const said = UserMessageChunk.safeParse(params).data?.text ?? ''
    if (said.trim() === '' || this.#asked.includes(said)) return []
    return [{ as: 'line', text: `> ${shownText(said)}` }]
  }

  #message(params: Record<string, unknown>): Piece[] {
    const message = UserMessage.safeParse(params).data
    if (!message) return []
    this.#asked = `${this.#asked}\n${message.content}`.slice(-mostAsked)
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
const warning = (text: string) => ({ as: 'warning' as const, text: shownText(text) })

function files(params: Record<string, unknown>, comesIn: boolean, isFirst: boolean): Piece[] {
  const said = FileChanges.safeParse(params).data
  if (!said) return []
  const changes = ('files' in said ? said.files : [said]) as readonly FileChange[]
  const arrow = comesIn ? '←' : '→'
  // The first files of a run are not listed: the progress line shows them.
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
  refusal: 'The agent refuses to continue.',
  max_tokens: 'The answer has reached the token limit of the model.',
  max_turn_requests: 'The agent has reached its limit of model requests in one turn.',
}

/** Nothing if the new runner works in the same place as the one before. */
const movedInWords = (sandbox: unknown): Piece[] =>
  sandbox === undefined
    ? []
    : [faint(`It works ${sandbox === 'none' ? 'on a device' : 'in a sandbox'} from here on.`)]

/** Whether this event ends the agent's text: the next words belong to another message. */
export const endsTurn = ({ notification }: SeenEvent) => isEvent(notification, 'turn_complete')
