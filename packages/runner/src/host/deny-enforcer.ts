import { within } from '@farhand/kit/within'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { type Agent, AgentRefused, type AgentSession } from '../agent/agent.ts'
import { type Orders, unaskedSaid } from '../orders/orders.ts'
import { permissionTerm } from '../questions/policy.ts'

/** What an agent does without asking first, in words, and the mode in which it asks. */
export type AgentAsks = { unasked?: string | undefined; denyMode?: string | undefined }

type DenyEnforcerParts = {
  /** The agent's name for users. */
  name: string
  asks: AgentAsks
  orders: Pick<Orders, 'view' | 'modeId' | 'isUnaskedSaid'>
  emit: (event: Notification) => void
  modeMs: number
}

/**
 * Enforces a policy of `deny` on one agent process. An agent that acts without asking is put into the mode in which
 * it asks; if it has none, it gets no messages while the policy denies.
 */
export class DenyEnforcer {
  readonly #parts: DenyEnforcerParts
  readonly #agent: Agent
  readonly #firstMode: string | null
  /** The mode to return to when the policy no longer denies. */
  #before: string | null = null
  #chosenBefore: string | null = null
  #isHeld = false

  constructor(parts: DenyEnforcerParts, agent: Agent, session: AgentSession) {
    this.#parts = parts
    this.#agent = agent
    this.#firstMode = session.modes?.currentModeId ?? null
  }

  /** To be called before each prompt. Throws AgentRefused, with a text for users, if the policy could not be enforced. */
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
    // Even if a user chose another mode meanwhile: the policy counts until it is changed.
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
    // Unless a user has chosen another mode meanwhile.
    const isOurs = orders.modeId === asks.denyMode || orders.modeId === this.#chosenBefore
    if (this.#before !== null && isOurs) await this.#setMode(this.#before)
  }

  #tellOnce(): void {
    const { name, asks, orders } = this.#parts
    if (orders.isUnaskedSaid) return
    const denying = asks.denyMode === undefined ? '' : ' The policy "deny" prevents that.'
    this.#tell('warn', `${name} ${asks.unasked} without asking first.${denying}`, { about: unaskedSaid })
  }

  #tell(level: string, message: string, more: object = {}): void {
    this.#parts.emit(event('console', { level, message, ...more }))
  }

  async #setMode(modeId: string): Promise<boolean> {
    const set = this.#agent.setMode(modeId).then(
      () => true,
      () => false,
    )
    const isTaken = (await within(this.#parts.modeMs, set)) === true
    const update = { sessionUpdate: 'current_mode_update', currentModeId: modeId }
    // Agents take a mode without an answer; the log says which one is in force (W58).
    if (isTaken) this.#parts.emit(event('session/update', { update }))
    return isTaken
  }
}

const refused = (why: string) =>
  new AgentRefused(
    `The policy of this run denies what agents ask for. ${why}, so it was not given the message. Use another agent, or another policy.`,
    -32603,
    undefined,
  )
