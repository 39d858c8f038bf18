import { eventOf } from '@farhand/protocol/events/acp-updates'
import { event } from '@farhand/protocol/events/event-names'
import { plainLine, shortened } from '@farhand/protocol/text/plain-text'
import type { Notification } from '@farhand/protocol/wire/event'
import type { AgentAsk, AgentHandlers, AgentUpdate } from '../agent/agent.ts'
import type { Orders } from '../orders/orders.ts'
import { askUser } from '../questions/ask-user.ts'
import { isInside } from '../questions/is-inside.ts'
import type { PendingQuestions } from '../questions/pending-questions.ts'
import { permissionTerm } from '../questions/policy.ts'
import { ReportedTools } from '../questions/reported-tools.ts'
import { SilenceWatch } from './silence-watch.ts'
import { toolEnd, toolFailed } from './tool-end.ts'

export type AgentListenerParts = {
  orders: Orders
  questions: PendingQuestions
  workspace: string
  emit: (event: Notification) => void
  fail: (why: unknown) => void
  /** Ends the running turn. */
  endTurn: () => void
  /** The agent's name for users. */
  name: string
}

/** Writes what the agent says to the log, asks the user its questions, and ends what the agent leaves open. */
export class AgentListener implements AgentHandlers {
  /** Counts what the agent has said and done. */
  activity = 0
  readonly #parts: AgentListenerParts
  readonly #tools = new ReportedTools()
  #hasOverstepped = false
  readonly #silence: SilenceWatch

  constructor(parts: AgentListenerParts) {
    this.#parts = parts
    this.#silence = new SilenceWatch(parts.name, parts.emit)
  }

  /** Reports a long silence of the agent, unless it waits for a tool or for a user. */
  readonly silence = {
    broken: () => this.#silence.broken(),
    look: () => {
      const { openTools, view } = this.#parts.orders
      this.#silence.look(openTools.size > 0 || view.openQuestions.length > 0)
    },
  }

  update(update: AgentUpdate): void {
    this.#silence.broken()
    if (/^(agent_message_chunk|tool_call)/.test(update.sessionUpdate) && !isGreeting(update))
      this.activity += 1
    this.#tools.take(update)
    this.#parts.emit(eventOf(update))
    if (update.sessionUpdate.startsWith('tool_call')) this.#lookAtPolicy(update)
  }

  /** A policy can only deny requests. An agent that changes files without asking is stopped, and users are told. */
  #lookAtPolicy(update: AgentUpdate): void {
    const { orders, workspace, emit, endTurn } = this.#parts
    if (this.#hasOverstepped || permissionTerm(orders.view) !== 'deny') return
    const known = this.#tools.known(update)
    if (!hasChangedFiles(known, workspace)) return
    this.#hasOverstepped = true
    const what = typeof known.title === 'string' ? ` (${shortened(plainLine(known.title), 200)})` : ''
    const message = `The agent changed files without asking${what}, although the policy of this run denies that. Its turn was ended; undo takes back what it changed.`
    emit(event('console', { level: 'error', message }))
    endTurn()
  }

  asked(ask: AgentAsk): void {
    const { questions, workspace, fail } = this.#parts
    const tool = this.#tools.untold(ask)
    if (tool) this.update(tool)
    const reply = (result: unknown) => {
      this.#tools.answered(ask, result)
      ask.reply(result)
    }
    askUser({ ...this.#tools.whole(ask), reply }, questions, workspace).catch(fail)
  }

  unknown(): void {}

  /** The agent process has died: ends its open questions and tools. */
  agentGone(): void {
    const { questions, orders, emit } = this.#parts
    questions.endAll('superseded')
    this.#tools.forget()
    for (const toolCallId of [...orders.openTools.keys()]) emit(toolFailed(toolCallId))
  }

  /** Ends the tools that the agent began and never ended: users would see them at work forever. */
  turnEnds(stopReason: string): void {
    const { orders, emit } = this.#parts
    for (const id of [...orders.openTools.keys()])
      emit(toolEnd(id, this.#tools.isRefused(id) ? 'refused' : stopReason))
    this.#tools.forget()
    this.#hasOverstepped = false
  }
}

const isGreeting = ({ _meta }: AgentUpdate) =>
  typeof _meta === 'object' && _meta !== null && 'farhand/greeting' in _meta

const changes: ReadonlySet<string> = new Set(['edit', 'delete', 'move'])

type KnownTool = Readonly<Record<string, unknown>>

/**
 * Whether a tool call has changed files of the workspace. What an agent writes elsewhere, such as its plan, is its
 * own affair.
 */
function hasChangedFiles({ kind, status, locations, rawInput }: KnownTool, workspace: string): boolean {
  if (status !== 'completed' || typeof kind !== 'string' || !changes.has(kind)) return false
  const places = [...(Array.isArray(locations) ? locations : []), rawInput].flatMap(pathsIn)
  return places.length === 0 || places.some((place) => isInside(place, workspace))
}

function pathsIn(one: unknown): string[] {
  if (typeof one !== 'object' || one === null) return []
  const { path, file_path: filePath } = one as { path?: unknown; file_path?: unknown }
  return [path, filePath].filter((place) => typeof place === 'string')
}
