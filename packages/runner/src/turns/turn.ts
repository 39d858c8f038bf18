import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import { sleep } from '@farhand/kit/sleep'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'
import { isObject } from '@farhand/protocol/wire/is-object'
import { type Agent, AgentGone, AgentIgnoredCancel, AgentRefused } from '../agent/agent.ts'
import type { AgentHost, Ready } from '../host/agent-host.ts'
import type { Allowance } from '../limits/allowance.ts'
import type { Message, Orders } from '../orders/orders.ts'
import { errorInWords } from './error-in-words.ts'
import type { TurnUnderWay } from './next-step.ts'
import type { BuildPrompt } from './prompt-blocks.ts'
import { SteeredMessages } from './steered-messages.ts'

export type TurnParts = {
  orders: Orders
  host: AgentHost
  allowance: Allowance
  /** Writes a turn marker; resolves when it was read back, so that every order before it is known. */
  mark: (event: Notification) => Promise<void>
  /** Writes an event, without waiting. */
  emit?: (event: Notification) => void
  blocks: BuildPrompt
  /** Counts what the agent has said and done so far. */
  activity: () => number
  /** Ends what a dead agent had begun. */
  agentGone: () => void
  /** Resolves when the files that the agent wrote are on their way to the hub. */
  settled: () => Promise<void>
  /** Called before the end is written: ends what the agent left open. */
  ending?: (end: Readonly<TurnEnd>) => void
  /** Watches for a long silence of the agent. */
  silence?: { broken(): void; look(): void }
  /** The turn's `steering` may have changed. */
  changed?: () => void
}

type TurnEnd = { stopReason: string; usage?: Record<string, unknown>; error?: unknown }

const lookEveryMs = 1000
const withoutAWord =
  'The agent ended its turn without saying or doing anything. Its model may have failed: look at its key and its settings.'

const goOn: ContentBlock[] = [
  { type: 'text', text: 'You were stopped at a limit of the user’s. They want you to go on where you were.' },
]

/** One turn: everything from the ack of a message to its `turn_complete`, with the messages sent into it. */
export class Turn implements TurnUnderWay {
  readonly messageId: number
  isCancelled = false
  readonly joined: SteeredMessages
  readonly #parts: TurnParts
  readonly #cancelled = new AbortController()
  /** The agent, while it works on a prompt of this turn. */
  #agent: Agent | null = null
  #canBeSteered: boolean | null = null
  /** Stopped at a limit; the user is asked whether to go on. */
  #isHalted = false
  #acks: number
  /** An agent that has died had begun with the message. */
  #isAgain: boolean

  constructor(parts: TurnParts, messageId: number, isAgain: boolean) {
    this.#parts = parts
    this.messageId = messageId
    const blocks: BuildPrompt = (message, knows) =>
      parts.host.chosen().then(() => parts.blocks(message, knows))
    this.joined = new SteeredMessages({ ...parts, blocks }, messageId)
    this.#isAgain = isAgain
    const { openTurns } = parts.orders.view
    this.#acks = openTurns.find((turn) => turn.messageId === messageId)?.acks ?? 0
  }

  get steering(): TurnUnderWay['steering'] {
    if (this.#canBeSteered === false) return 'cancels'
    return this.#agent && !this.#isHalted ? 'joins' : 'waits'
  }

  /** Sends this message into the turn. */
  join(messageId: number): void {
    const agent = this.#agent
    if (agent) this.joined.join(messageId, agent, () => this.#agent === agent && !this.isCancelled)
  }

  /** Asks the agent to end the turn; what it says until then still counts. */
  cancel(): void {
    this.isCancelled = true
    this.#cancelled.abort()
    this.#agent?.cancel()
  }

  /** Stops the agent if a limit was reached; the user is asked before it goes on. */
  lookAtLimits(): void {
    if (!this.#agent || this.#isHalted || this.isCancelled || !this.#parts.allowance.isReached()) return
    this.#isHalted = true
    this.#agent.cancel()
  }

  /** Resolves when the end of the turn is in the log, or when no turn began because the message was withdrawn. */
  async run(): Promise<void> {
    const end = await this.#work()
    this.joined.over()
    if (!end) return
    await this.#parts.settled()
    await this.joined.settled()
    this.#parts.ending?.(end)
    const { usage: _, ...shared } = end
    // All at once, the turn's own end first: the next runner would otherwise continue the turn without these
    // messages.
    const ends = [{ messageId: this.messageId, ...end }, ...this.joined.ends(shared)]
    await Promise.all(ends.map((params) => this.#mark('turn_complete', params)))
  }

  async #work(): Promise<TurnEnd | null> {
    const { orders, host, allowance, agentGone } = this.#parts
    for (;;) {
      const isAllowed = await allowance.given(this.#isAgain ? 'during' : 'before', this.#cancelled.signal)
      // No agent has begun with the message: it keeps waiting.
      if (this.isCancelled && this.#acks === 0) return null
      // The ack must be durable before the agent hears the message: the next runner must know that the turn was begun
      // (W29).
      await this.#mark('ack', { for: 'user_message', id: this.messageId })
      this.#acks += 1
      const message = orders.messages.get(this.messageId)
      if (!message || !orders.isOpen(this.messageId)) return null
      if (this.#isAgain) await this.joined.takeOnAgain()
      try {
        if (this.isCancelled) return { stopReason: 'cancelled' }
        if (!isAllowed) return { stopReason: 'limit' }
        // A rewind may have been read between the choice of this message and its ack.
        if (host.leaveIfRewound()) agentGone()
        const ready = await this.#unlessCancelled(host.ready())
        return ready ? await this.#prompt(ready, message) : { stopReason: 'cancelled' }
      } catch (error) {
        const isGone = error instanceof AgentGone || error instanceof AgentIgnoredCancel
        if (error instanceof AgentIgnoredCancel) await host.stop()
        if (isGone) agentGone()
        // The cause of the agent's death does not matter: the user wanted the turn to end.
        if (this.isCancelled) return { stopReason: 'cancelled' }
        if (!isGone) return { stopReason: 'failed', error: said(error) }
        // Continued once only: an agent that dies of a message would die of it forever (W29).
        if (this.#acks > 1) return { stopReason: 'interrupted', error: said(error) }
      } finally {
        this.#agent = this.#canBeSteered = null
      }
      this.#isAgain = true
    }
  }

  /** Null if the turn is cancelled first: an agent may be slow to start, or never finish starting. */
  async #unlessCancelled<Result>(result: Promise<Result>): Promise<Result | null> {
    const { signal } = this.#cancelled
    return await unlessStopped(signal, result).catch((error: unknown) => {
      if (signal.aborted && error === signal.reason) return null
      throw error
    })
  }

  async #prompt(ready: Ready, message: Message): Promise<TurnEnd> {
    const { blocks, allowance, host } = this.#parts
    const { signal } = this.#cancelled
    const knows = { isBriefed: ready.isToBeBriefed, since: ready.since, isAgain: this.#isAgain }
    this.#canBeSteered = ready.agent.canBeSteered
    this.#parts.changed?.()
    await this.#unlessCancelled(host.chosen())
    await this.#unlessCancelled(ready.policy.apply())
    let prompt = await this.#unlessCancelled(blocks(message, knows))
    if (!prompt) return { stopReason: 'cancelled' }
    for (;;) {
      const untold = await this.#unlessCancelled(this.joined.untold())
      if (!untold || this.isCancelled) return { stopReason: 'cancelled' }
      prompt = [...prompt, ...untold]
      try {
        const end = await this.#ask(ready.agent, prompt)
        // From now on, the agent remembers the briefing itself.
        host.told(ready)
        if (!this.#isHalted || this.isCancelled) return end
        if (!(await allowance.given('during', signal))) return { ...end, stopReason: 'limit' }
        prompt = goOn
      } catch (error) {
        if (error instanceof AgentGone || error instanceof AgentIgnoredCancel) throw error
        if (this.isCancelled) return { stopReason: 'cancelled' }
        const waitMs = await allowance.wait(error, signal)
        if (waitMs === null) throw error
        if (waitMs > 0) this.#parts.emit?.(rateLimited(Date.now() + waitMs))
        await sleep(waitMs, { signal }).catch(() => {})
      }
    }
  }

  async #ask(agent: Agent, prompt: readonly ContentBlock[]): Promise<TurnEnd> {
    this.#isHalted = false
    this.#agent = agent
    // A silent agent uses up time, too.
    this.#parts.silence?.broken()
    const watch = setInterval(() => {
      this.lookAtLimits()
      this.#parts.silence?.look()
    }, lookEveryMs)
    const before = this.#parts.activity()
    try {
      const answer = agent.prompt(prompt)
      this.#parts.changed?.()
      const end = endOf(await answer)
      // Some agents do not report that their model failed.
      const isSilent = end.stopReason === 'end_turn' && this.#parts.activity() === before
      // Nor do all of them answer a cancel with `cancelled`.
      if (isSilent && this.isCancelled) return { ...end, stopReason: 'cancelled' }
      return isSilent && !this.#isHalted ? { ...end, error: { message: withoutAWord } } : end
    } finally {
      clearInterval(watch)
      this.#agent = null
    }
  }

  #mark<Name extends EventName>(name: Name, params: EventParams<Name>): Promise<void> {
    return this.#parts.mark(event(name, params))
  }
}

/** Tells users that the agent waits and until when: it says nothing itself. */
function rateLimited(untilMs: number): Notification {
  const until = new Date(untilMs).toISOString()
  const message = `The agent's provider has a rate limit: the agent goes on at ${until.slice(11, 19)} UTC.`
  const params = { level: 'warn', message, about: 'rate-limit', until }
  return event('console', params)
}

function endOf({ stopReason, usage }: PromptResponse & { usage?: unknown }): TurnEnd {
  return { stopReason, ...(isObject(usage) && { usage }) }
}

const said = (error: unknown) => ({
  ...(error instanceof AgentRefused
    ? errorInWords(error.message, error.data)
    : { message: error instanceof Error ? error.message : String(error) }),
  ...(error instanceof Error && 'code' in error && { code: error.code }),
})
