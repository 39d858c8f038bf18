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
  say: (event: Notification) => void
  fail: (why: unknown) => void
  /** Ends the turn that is under way. */
  endTurn: () => void
  /** What people call the agent. */
  name: string
}

/** Passes on what the agent says and asks, and ends what it leaves open. */
export class AgentListener implements AgentHandlers {
  /** How much the agent has said and done. */
  deeds = 0
  readonly #parts: AgentListenerParts
  readonly #tools = new ReportedTools()
  #hasOverstepped = false
  readonly #silence: SilenceWatch

  constructor(parts: AgentListenerParts) {
    this.#parts = parts
    this.#silence = new SilenceWatch(parts.name, parts.say)
  }

  /** Whether it has been silent for long is told to people, unless a tool or a person is waited for. */
  readonly silence = {
    broken: () => this.#silence.broken(),
    look: () => {
      const { openTools, view } = this.#parts.orders
      this.#silence.look(openTools.size > 0 || view.openQuestions.length > 0)
    },
  }

  update(update: AgentUpdate): void {
    this.#silence.broken()
    if (/^(agent_message_chunk|tool_call)/.test(update.sessionUpdate) && !isGreeting(update)) this.deeds += 1
    this.#tools.take(update)
    this.#parts.say(eventOf(update))
    if (update.sessionUpdate.startsWith('tool_call')) this.#lookAtPolicy(update)
  }

  /** A policy that denies can only deny what it is asked about: an agent that does not ask is stopped, and people are told. */
  #lookAtPolicy(update: AgentUpdate): void {
    const { orders, workspace, say, endTurn } = this.#parts
    if (this.#hasOverstepped || permissionTerm(orders.view) !== 'deny') return
    const known = this.#tools.known(update)
    if (!hasChangedFiles(known, workspace)) return
    this.#hasOverstepped = true
    const what = typeof known.title === 'string' ? ` (${shortened(plainLine(known.title), 200)})` : ''
    const message = `The agent changed files without questions${what}, although the policy of this run denies that. Its turn was ended; undo takes back what it changed.`
    say(event('console', { level: 'error', message }))
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

  /** The agent is dead: what it had begun and asked has an end too. */
  agentGone(): void {
    const { questions, orders, say } = this.#parts
    questions.endAll('superseded')
    this.#tools.forget()
    for (const toolCallId of [...orders.openTools.keys()]) say(toolFailed(toolCallId))
  }

  /** The turn ends so. Tools that agents begin and never end would be shown as if they were at work for ever. */
  turnEnds(stopReason: string): void {
    const { orders, say } = this.#parts
    for (const id of [...orders.openTools.keys()])
      say(toolEnd(id, this.#tools.isRefused(id) ? 'refused' : stopReason))
    this.#tools.forget()
    this.#hasOverstepped = false
  }
}

const isGreeting = ({ _meta }: AgentUpdate) =>
  typeof _meta === 'object' && _meta !== null && 'farhand/greeting' in _meta

const changes: ReadonlySet<string> = new Set(['edit', 'delete', 'move'])

type KnownTool = Readonly<Record<string, unknown>>

/**
 * Whether a tool that an agent tells of has changed files of the workspace. What it wrote elsewhere is its own affair, such
 * as the plan that it keeps.
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
