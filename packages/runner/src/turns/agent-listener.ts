import { eventOf } from '@farhand/protocol/events/acp-updates'
import type { Notification } from '@farhand/protocol/wire/event'
import { event } from '@farhand/protocol/events/event-names'
import { plainLine, shortened } from '@farhand/protocol/text/plain-text'
import type { AgentAsk, AgentEars, AgentUpdate } from '../agent/agent.ts'
import type { Asking } from '../questions/pending-questions.ts'
import { hasChangedFiles } from '../questions/overstepped.ts'
import { passOn } from '../questions/ask-user.ts'
import { permissionTerm } from '../questions/policy.ts'
import { ToldTools } from '../questions/reported-tools.ts'
import type { Orders } from '../orders/orders.ts'
import { Silence } from './silence-watch.ts'
import { toolEnd, toolFailed } from './tool-end.ts'

export type ListenerParts = {
  orders: Orders
  asking: Asking
  workspace: string
  say: (event: Notification) => void
  fail: (why: unknown) => void
  /** Ends the turn that is under way. */
  endTurn: () => void
  /** What people call the agent. */
  name: string
}

/** Passes on what the agent says and asks, and ends what it leaves open. */
export class Listener implements AgentEars {
  /** How much the agent has said and done. */
  deeds = 0
  readonly #parts: ListenerParts
  readonly #tools = new ToldTools()
  #hasOverstepped = false
  readonly #silence: Silence

  constructor(parts: ListenerParts) {
    this.#parts = parts
    this.#silence = new Silence(parts.name, parts.say)
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
    const message = `The agent changed files without asking${what}, although the policy of this run denies that. Its turn was ended; undo takes back what it changed.`
    say(event('console', { level: 'error', message }))
    endTurn()
  }

  asked(ask: AgentAsk): void {
    const { asking, workspace, fail } = this.#parts
    const tool = this.#tools.untold(ask)
    if (tool) this.update(tool)
    const reply = (result: unknown) => {
      this.#tools.answered(ask, result)
      ask.reply(result)
    }
    passOn({ ...this.#tools.whole(ask), reply }, asking, workspace).catch(fail)
  }

  unknown(): void {}

  /** The agent is dead: what it had begun and asked has an end too. */
  agentGone(): void {
    const { asking, orders, say } = this.#parts
    asking.endAll('superseded')
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
