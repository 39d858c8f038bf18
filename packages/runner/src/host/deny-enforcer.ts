import { sleep } from '@farhand/kit/sleep'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { type Agent, AgentRefused, type AgentSession } from '../agent/agent.ts'
import { type Orders, unaskedSaid } from '../orders/orders.ts'
import { permissionTerm } from '../questions/policy.ts'

/** What an agent does without asking anybody, in words, and the mode in which it does not. */
export type AgentAsks = { unasked?: string | undefined; denyMode?: string | undefined }

type HeldParts = {
  /** What people call the agent. */
  name: string
  asks: AgentAsks
  orders: Pick<Orders, 'view' | 'modeId' | 'isUnaskedSaid'>
  say: (event: Notification) => void
  modeMs: number
}

/**
 * Holds one life of an agent to a policy that denies. One that does things unasked is put into the mode in which it
 * asks; if there is none, it does not work at all while the policy denies.
 */
export class DenyEnforcer {
  readonly #parts: HeldParts
  readonly #agent: Agent
  readonly #firstMode: string | null
  /** The mode to go back to when the policy does not deny any more. */
  #before: string | null = null
  #chosenBefore: string | null = null
  #isHeld = false

  constructor(parts: HeldParts, agent: Agent, session: AgentSession) {
    this.#parts = parts
    this.#agent = agent
    this.#firstMode = session.modes?.currentModeId ?? null
  }

  /** Before the agent is told anything. Throws AgentRefused, for people to read, if the policy could not hold. */
  async apply(): Promise<void> {
    const { name, asks, orders } = this.#parts
    const { unasked, denyMode } = asks
    if (unasked === undefined) return
    const term = permissionTerm(orders.view)
    if (term !== 'deny') {
      if (this.#isHeld) await this.#release()
      if (term !== 'allow') this.#tellOnce()
      return
    }
    if (denyMode === undefined)
      throw refused(`${name} ${unasked} without asking, and has no mode in which it asks`)
    // A person may have chosen another mode since: the policy counts until it is changed.
    if (this.#isHeld && orders.modeId === denyMode) return
    if (!this.#isHeld) {
      this.#chosenBefore = orders.modeId
      this.#before = orders.modeId ?? this.#firstMode
    }
    const isTaken = await this.#setMode(denyMode)
    if (!isTaken)
      throw refused(`${name} ${unasked} without asking, and does not go into its mode "${denyMode}"`)
    if (!this.#isHeld)
      this.#tell(
        'info',
        `The policy of this run denies, and ${name} ${unasked} without asking: it is in its mode "${denyMode}" until that policy changes.`,
      )
    this.#isHeld = true
  }

  async #release(): Promise<void> {
    this.#isHeld = false
    const { asks, orders } = this.#parts
    // Unless a person has chosen one meanwhile.
    const isOurs = orders.modeId === asks.denyMode || orders.modeId === this.#chosenBefore
    if (this.#before !== null && isOurs) await this.#setMode(this.#before)
  }

  #tellOnce(): void {
    const { name, asks, orders } = this.#parts
    if (orders.isUnaskedSaid) return
    const denying = asks.denyMode === undefined ? '' : ' With the policy "deny" it is kept from that.'
    this.#tell('warn', `${name} ${asks.unasked} without asking first.${denying}`, { about: unaskedSaid })
  }

  #tell(level: string, message: string, more: object = {}): void {
    this.#parts.say(event('console', { level, message, ...more }))
  }

  async #setMode(modeId: string): Promise<boolean> {
    const enough = new AbortController()
    const late = sleep(this.#parts.modeMs, { signal: enough.signal }).then(
      () => false,
      () => false,
    )
    const set = this.#agent.setMode(modeId).then(
      () => true,
      () => false,
    )
    const isTaken = await Promise.race([set, late])
    enough.abort()
    const update = { sessionUpdate: 'current_mode_update', currentModeId: modeId }
    // Agents take a mode without a word, and the log is what says which one is in force (W58).
    if (isTaken) this.#parts.say(event('session/update', { update }))
    return isTaken
  }
}

const refused = (why: string) =>
  new AgentRefused(
    `The policy of this run denies what agents ask for. ${why}, so it was not given the message. Use another agent, or another policy.`,
    -32603,
    undefined,
  )
