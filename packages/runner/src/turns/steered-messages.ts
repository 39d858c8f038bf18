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

/** The messages that are said into a turn: each is taken on, told to the agent, and ends with the turn. */
export class SteeredMessages {
  readonly #parts: Parts
  readonly #into: number
  readonly #all: Set<number>
  /** Taken on, and the agent that is there has not heard of them. */
  readonly #untold: Set<number>
  /** Those that end with the turn; the others go on without it. */
  readonly #bound = new Set<number>()
  /** One after the other, in the order in which they were said. */
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

  /** Says it to the agent once it is taken on, if by then the turn goes on. */
  join(messageId: number, agent: Agent, goesOn: () => boolean): void {
    this.#all.add(messageId)
    this.#joining = this.#joining.then(() => this.#join(messageId, agent, goesOn))
    // Whoever waits for it is told.
    this.#joining.catch(() => {})
  }

  /** The agent has ended the turn: what is not ready to be said by now is not waited for. */
  over(): void {
    this.#isOver()
  }

  /** Resolves when of each it is known whether the agent has heard it. */
  settled(): Promise<void> {
    return this.#joining
  }

  /** The agent has died, and another one is to hear all of it. */
  async takeOnAgain(): Promise<void> {
    await this.#joining
    for (const id of this.#all) {
      await this.#ack(id)
      this.#untold.add(id)
      this.#bound.add(id)
    }
  }

  /** What the agent has yet to hear: it is on its way with this. */
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

  /** The end of each, which is that of the turn. */
  ends<End extends object>(end: End): (End & { messageId: number; into: number })[] {
    return [...this.#bound].map((messageId) => ({ messageId, ...end, into: this.#into }))
  }

  async #join(messageId: number, agent: Agent, goesOn: () => boolean): Promise<void> {
    // Durable before the agent hears of it, as of any message (W29).
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
    // What cannot be had is a matter of that message alone, and is told when it has a turn of its own.
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
