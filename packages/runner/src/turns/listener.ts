import { eventOf } from '@farhand/protocol/acp-updates'
import type { Notification } from '@farhand/protocol/event'
import type { AgentAsk, AgentEars, AgentUpdate } from '../agent/agent.ts'
import type { Asking } from '../questions/asking.ts'
import { passOn } from '../questions/pass-on.ts'
import { ToldTools } from '../questions/told-tools.ts'
import type { Orders } from './orders.ts'
import { toolEnd, toolFailed } from './tool-end.ts'

export type ListenerParts = {
  orders: Orders
  asking: Asking
  workspace: string
  say: (event: Notification) => void
  fail: (why: unknown) => void
}

/** Passes on what the agent says and asks, and ends what it leaves open. */
export class Listener implements AgentEars {
  /** How much the agent has said and done. */
  deeds = 0
  readonly #parts: ListenerParts
  readonly #tools = new ToldTools()

  constructor(parts: ListenerParts) {
    this.#parts = parts
  }

  update(update: AgentUpdate): void {
    if (/^(agent_message_chunk|tool_call)/.test(update.sessionUpdate)) this.deeds += 1
    this.#tools.take(update)
    this.#parts.say(eventOf(update))
  }

  asked(ask: AgentAsk): void {
    const { asking, orders, workspace, fail } = this.#parts
    const tool = this.#tools.untold(ask)
    if (tool) this.update(tool)
    const reply = (result: unknown) => {
      this.#tools.answered(ask, result)
      ask.reply(result)
    }
    passOn({ ...ask, reply }, asking, orders.view, workspace).catch(fail)
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
  }
}
