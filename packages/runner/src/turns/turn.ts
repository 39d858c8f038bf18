import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import { sleep } from '@farhand/kit/sleep'
import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'
import { type Agent, AgentGone, AgentRefused, AgentStubborn } from '../agent/agent.ts'
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
  /** Says it in the log; resolves when the log has been read up to there, so that every order before it is known. */
  mark: (event: Notification) => Promise<void>
  /** Says it in the log, and waits for nothing. */
  say?: (event: Notification) => void
  /** What the agent is told: the message, and what it has to know before it reads that. */
  blocks: BuildPrompt
  /** How much the agent has said and done so far. */
  deeds: () => number
  /** The agent has died: what it had begun has an end. */
  agentGone: () => void
  /** Everything the agent wrote is on its way before its turn is said to be over. */
  settled: () => Promise<void>
  /** The turn ends so: what the agent left open has an end before that is told. */
  ending?: (end: Readonly<TurnEnd>) => void
  /** Looks, now and then while the agent works, whether it has been silent for long; told when it is given work. */
  silence?: { broken(): void; look(): void }
  /** What is to be done with a message that wants to redirect the turn may be another thing now. */
  changed?: () => void
}

type TurnEnd = { stopReason: string; usage?: Record<string, unknown>; error?: unknown }

const lookEveryMs = 1000
const withoutAWord =
  'The agent ended its turn without saying or doing anything. Its model may have failed: look at its key and its settings.'

const goOn: ContentBlock[] = [
  { type: 'text', text: 'You were stopped at a limit of the user’s. They want you to go on where you were.' },
]

/** What the agent does because of one message and what is said into it, from its ack to its `turn_complete`. */
export class Turn implements TurnUnderWay {
  readonly messageId: number
  isCancelled = false
  readonly joined: SteeredMessages
  readonly #parts: TurnParts
  readonly #cancelled = new AbortController()
  /** While it works on this. */
  #agent: Agent | null = null
  #canBeSteered: boolean | null = null
  /** Stopped at a limit, to be asked about. */
  #isHalted = false
  #acks: number
  /** An agent that is dead had begun with it. */
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

  /** Says this message into the turn. */
  join(messageId: number): void {
    const agent = this.#agent
    if (agent) this.joined.join(messageId, agent, () => this.#agent === agent && !this.isCancelled)
  }

  /** Ends what the agent is doing; it is asked to, and what it says on its way out still counts. */
  cancel(): void {
    this.isCancelled = true
    this.#cancelled.abort()
    this.#agent?.cancel()
  }

  /** Stops the agent if a limit was reached meanwhile; the user is asked before it goes on. */
  lookAtLimits(): void {
    if (!this.#agent || this.#isHalted || this.isCancelled || !this.#parts.allowance.isReached()) return
    this.#isHalted = true
    this.#agent.cancel()
  }

  /** Resolves when the end of the turn is in the log, or its message is withdrawn or still to be begun with. */
  async run(): Promise<void> {
    const end = await this.#work()
    this.joined.over()
    if (!end) return
    await this.#parts.settled()
    await this.joined.settled()
    this.#parts.ending?.(end)
    const { usage: _, ...shared } = end
    // At once, and the turn's own first: whoever comes after us would otherwise go on without what was said into it.
    const ends = [{ messageId: this.messageId, ...end }, ...this.joined.ends(shared)]
    await Promise.all(ends.map((params) => this.#mark('turn_complete', params)))
  }

  async #work(): Promise<TurnEnd | null> {
    const { orders, host, allowance, agentGone } = this.#parts
    for (;;) {
      const isAllowed = await allowance.given(this.#isAgain ? 'during' : 'before', this.#cancelled.signal)
      // Nobody has begun with it: it waits on, as those do that are behind it.
      if (this.isCancelled && this.#acks === 0) return null
      // Durable before the agent hears of it: whoever comes after us must know that it was begun (W29).
      await this.#mark('ack', { for: 'user_message', id: this.messageId })
      this.#acks += 1
      const message = orders.messages.get(this.messageId)
      if (!message || !orders.isOpen(this.messageId)) return null
      if (this.#isAgain) await this.joined.takeOnAgain()
      try {
        if (this.isCancelled) return { stopReason: 'cancelled' }
        if (!isAllowed) return { stopReason: 'limit' }
        // The message may have been taken up before the rewind that its ack comes after was read.
        if (host.leaveIfRewound()) agentGone()
        const ready = await this.#unlessCancelled(host.ready())
        return ready ? await this.#prompt(ready, message) : { stopReason: 'cancelled' }
      } catch (error) {
        const isGone = error instanceof AgentGone || error instanceof AgentStubborn
        if (error instanceof AgentStubborn) await host.stop()
        if (isGone) agentGone()
        // Whatever it died of: the person wanted it to end.
        if (this.isCancelled) return { stopReason: 'cancelled' }
        if (!isGone) return { stopReason: 'failed', error: said(error) }
        // Continued once; an agent that dies of a message would die of it for ever (W29).
        if (this.#acks > 1) return { stopReason: 'interrupted', error: said(error) }
      } finally {
        this.#agent = this.#canBeSteered = null
      }
      this.#isAgain = true
    }
  }

  /** Null if the turn is cancelled meanwhile: an agent may take its time to start, or never come to an end with it. */
  async #unlessCancelled<Result>(result: Promise<Result>): Promise<Result | null> {
    const { signal } = this.#cancelled
    let isOver = () => {}
    const cancelled = new Promise<null>((resolve) => {
      isOver = () => resolve(null)
      signal.addEventListener('abort', isOver)
    })
    try {
      return await Promise.race([result, cancelled])
    } finally {
      signal.removeEventListener('abort', isOver)
    }
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
        // From now on it remembers by itself.
        host.told(ready)
        if (!this.#isHalted || this.isCancelled) return end
        if (!(await allowance.given('during', signal))) return { ...end, stopReason: 'limit' }
        prompt = goOn
      } catch (error) {
        if (error instanceof AgentGone || error instanceof AgentStubborn) throw error
        if (this.isCancelled) return { stopReason: 'cancelled' }
        const waitMs = await allowance.wait(error, signal)
        if (waitMs === null) throw error
        if (waitMs > 0) this.#parts.say?.(rateLimited(Date.now() + waitMs))
        await sleep(waitMs, { signal }).catch(() => {})
      }
    }
  }

  async #ask(agent: Agent, prompt: readonly ContentBlock[]): Promise<TurnEnd> {
    this.#isHalted = false
    this.#agent = agent
    // An agent that says nothing uses up time all the same.
    this.#parts.silence?.broken()
    const watch = setInterval(() => {
      this.lookAtLimits()
      this.#parts.silence?.look()
    }, lookEveryMs)
    const before = this.#parts.deeds()
    try {
      const answer = agent.prompt(prompt)
      this.#parts.changed?.()
      const end = endOf(await answer)
      // Some agents keep to themselves that their model failed.
      const isSilent = end.stopReason === 'end_turn' && this.#parts.deeds() === before
      // Nor do all of them say that they have ended because they were asked to.
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

/** Whoever watches should know that nothing is wrong, and until when: an agent that waits says nothing. */
function rateLimited(untilMs: number): Notification {
  const until = new Date(untilMs).toISOString()
  const message = `The agent's provider has a rate limit: the agent goes on at ${until.slice(11, 19)} UTC.`
  const params = { level: 'warn', message, about: 'rate-limit', until }
  return event('console', params)
}

function endOf({ stopReason, usage }: PromptResponse & { usage?: unknown }): TurnEnd {
  return { stopReason, ...(isRecord(usage) && { usage }) }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const said = (error: unknown) => ({
  ...(error instanceof AgentRefused
    ? errorInWords(error.message, error.data)
    : { message: error instanceof Error ? error.message : String(error) }),
  ...(error instanceof Error && 'code' in error && { code: error.code }),
})
