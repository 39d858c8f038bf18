import type { ContentBlock } from '@agentclientprotocol/sdk'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Agent } from '../agent/agent.ts'
import type { Orders } from '../orders/orders.ts'
import type { BuildPrompt } from './prompt-blocks.ts'

type Parts = {
  orders: Orders
  mark: (event: Notification) => Promise<void>
  blocks: BuildPrompt
}

/** The messages that users send into a running turn: each is acknowledged, sent to the agent, and ends with the turn. */
export class SteeredMessages {
  readonly #parts: Parts
  readonly #into: number
  readonly #all: Set<number>
  /** Acknowledged, but the current agent has not heard of them. */
  readonly #untold: Set<number>
  /** Messages that end with this turn; the others get a turn of their own. */
  readonly #bound = new Set<number>()
  /** One after the other, in order. */
  #joining: Promise<void> = Promise.resolve()
  readonly #over: Promise<null>
  #isOver: () => void = () => {}

  constructor(parts: Parts, into: number) {
    this.#parts = parts
    this.#into = into
    this.#all = new Set(parts.orders.joinedInto(into))
    this.#untold = new Set(this.#all)
    this.#over = new Promise((resolve) => {
      this.#isOver = () => resolve(null)
    })
  }

  has(messageId: number): boolean {
    return this.#all.has(messageId)
  }

  /** Sends the message to the agent once its ack is in the log, if the turn still goes on then. */
  join(messageId: number, agent: Agent, goesOn: () => boolean): void {
    this.#all.add(messageId)
    this.#joining = this.#joining.then(() => this.#join(messageId, agent, goesOn))
    // `settled` and `untold` reject with it.
    this.#joining.catch(() => {})
  }

  /** The agent has ended the turn: messages that are not ready by now are not sent into it. */
  over(): void {
    this.#isOver()
  }

  /** Resolves when it is known of each message whether the agent has heard it. */
  settled(): Promise<void> {
    return this.#joining
  }

  /** The agent has died: acknowledges all messages again, for the next agent. */
  async takeOnAgain(): Promise<void> {
    await this.#joining
    for (const id of this.#all) {
      await this.#ack(id)
      this.#untold.add(id)
      this.#bound.add(id)
    }
  }

  /** The messages that the agent has not heard, for its next prompt. */
  async untold(): Promise<ContentBlock[]> {
    await this.#joining
    const blocks: ContentBlock[] = []
    for (const id of this.#untold) {
      blocks.push(...(await this.#blocks(id)))
      this.#bound.add(id)
    }
    this.#untold.clear()
    return blocks
  }

  /** The `turn_complete` of each message: it ends as the turn ends. */
  ends<End extends object>(end: End): (End & { messageId: number; into: number })[] {
    return [...this.#bound].map((messageId) => ({ messageId, ...end, into: this.#into }))
  }

  async #join(messageId: number, agent: Agent, goesOn: () => boolean): Promise<void> {
    // The ack must be durable before the agent hears the message (W29).
    await this.#ack(messageId)
    if (!this.#parts.orders.isOpen(messageId)) {
      this.#all.delete(messageId)
      return
    }
    const isTold = goesOn() && (await this.#tell(messageId, agent))
    if (isTold) this.#bound.add(messageId)
    else this.#untold.add(messageId)
  }

  async #tell(messageId: number, agent: Agent): Promise<boolean> {
    // A failure concerns this message alone, and is reported when it gets a turn of its own.
    const ready = this.#blocks(messageId).catch(() => null)
    const blocks = await Promise.race([ready, this.#over])
    return blocks !== null && (await agent.steer(blocks))
  }

  #ack(id: number): Promise<void> {
    const params = { for: 'user_message', id, into: this.#into }
    return this.#parts.mark(event('ack', params))
  }

  async #blocks(messageId: number): Promise<ContentBlock[]> {
    const message = this.#parts.orders.messages.get(messageId)
    return message ? this.#parts.blocks(message, { isBriefed: false, isAgain: false, isInto: true }) : []
  }
}
