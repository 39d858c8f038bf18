import { join } from 'node:path'
import { follow, followPortions } from '@farhand/client/follow/follow'
import { endRunner } from '@farhand/client/resources/resources'
import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { openSender } from './events/open-sender.ts'
import { Workspace } from './files/workspace.ts'
import { startHeartbeat } from './heartbeat.ts'
import { type RestAnswer, restAnswer } from './orders/rest-answer.ts'
import type { RunnerOptions } from './runner-options.ts'
import { backoff, RunnerParts } from './runner-parts.ts'
import { saveAll } from './save-all.ts'

export type { RunnerOptions }

/** Why a runner has ended: `resting`: it had nothing to do (W37); `fenced`: a newer runner took over; `stopped`: by its caller. */
export type RunnerEnd = 'closed' | 'resting' | 'fenced' | 'stopped'

const defaultSettleMs = 2_000
const endPatienceMs = 2_000

/** Hosts the agent of a run until the run is closed: follows its log, works on the users' messages, reports what happens. */
export async function hostAgent(options: RunnerOptions): Promise<RunnerEnd> {
  const own = new AbortController()
  const signal = AbortSignal.any([options.signal, own.signal])
  const hub = { ...options.hub, fetch: options.hub.fetch ?? leanFetch }
  const runner = new Runner({ ...options, hub, signal }, (why) => own.abort(why))
  // Before anything else: reading the log and restoring files may take long.
  const heartbeat = startHeartbeat(hub, options.at, signal, () => runner.isClosing)
  try {
    return await runner.run()
  } catch (error) {
    if (options.signal.aborted) return 'stopped'
    if (isFenced(error)) return 'fenced'
    throw error
  } finally {
    heartbeat.stop()
    own.abort()
    await runner.end()
  }
}

class Runner {
  readonly #options: RunnerOptions
  readonly #fail: (why: unknown) => void
  readonly #parts: RunnerParts
  #workspace: Workspace | null = null
  #rest: RestAnswer | null = null

  constructor(options: RunnerOptions, fail: (why: unknown) => void) {
    this.#options = options
    this.#fail = fail
    this.#parts = new RunnerParts(options, {
      fail,
      next: () => this.#act(),
      settled: () => this.#settled(),
      workspace: () => this.#workspace,
    })
  }

  get isClosing(): boolean {
    return this.#parts.steps.isClosing
  }

  /** Resolves when the run is closed, or this runner rests. */
  async run(): Promise<'closed' | 'resting'> {
    const { setup } = this.#parts
    await this.#begin()
    setup.run().then(() => this.isClosing || this.#act(), this.#fail)
    this.#act()
    // The log of a run that was already closing gets no more events.
    if (!this.#isOver()) await this.#followOrders()
    await this.#close()
    return this.isClosing ? 'closed' : 'resting'
  }

  /** Stops everything that is still running. */
  async end(): Promise<void> {
    const { markers, shells, host, setup } = this.#parts
    markers.end(this.#options.signal.reason)
    await Promise.all([shells.stop(), host.stop(), setup.stop()])
    await this.#workspace?.over.catch(() => {})
  }

  /** Reads the log, sends what an earlier runner left unsent, restores the workspace and brings it in step with the log. */
  async #begin(): Promise<void> {
    const { hub, at, generation, state, signal } = this.#options
    const { producer, markers, writer, checkpoints, orders } = this.#parts
    const take = (event: SeenEvent) => this.#parts.take(event)
    const { sender, handedIn } = await openSender({
      hub,
      at,
      folder: join(state, 'journal'),
      generation,
      read: (also) =>
        this.#readUntilLive((event) => {
          also(event)
          take(event)
        }),
      producer,
      backoff,
      signal,
      onRoom: () => this.#parts.resumeReading(),
      onOver: (why) => this.#fail(why),
      onRefused: (event, why) => markers.refused(event, why),
    })
    writer.open(sender)
    // The reason of a failure must reach the log: no later runner gets this place to report it.
    await checkpoints?.restore().catch(async (why) => {
      await writer.stored()
      throw why
    })
    const heard = (event: SeenEvent) => checkpoints?.take(event)
    const workspace =
      this.#options.syncs === false ? null : Workspace.of(this.#options, { producer, backoff, heard })
    this.#workspace = workspace
    workspace?.over.catch((why) => this.#fail(why))
    await handedIn()
    // The events just sent may end the very turn that would be continued.
    await this.#readUntilLive(take)
    orders.markInheritedAsDead()
    // A workspace that is over before it was in step will never be.
    if (workspace) await Promise.race([workspace.inStep, workspace.over])
    signal.throwIfAborted()
    // Files from before the first turn are no news to the agent: it has seen none yet.
    if (orders.view.turns === 0) workspace?.takeChanged()
    checkpoints?.begin()
  }

  async #readUntilLive(take: (event: SeenEvent) => void): Promise<void> {
    const { hub, at, signal } = this.#options
    const { orders, base, checkpoints } = this.#parts
    const portions = followPortions(hub, at, { after: orders.lastEventId, backoff, signal })
    for await (const { events, live } of portions) {
      for (const event of events) take(event)
      if (live && base.isThere) return
      if (live) checkpoints?.fetchAhead()
    }
  }

  async #followOrders(): Promise<void> {
    const { hub, at, signal } = this.#options
    const { orders, host } = this.#parts
    const after = orders.lastEventId
    for await (const event of follow(hub, at, { after, to: 'agent', envelope: 'stored', backoff, signal })) {
      this.#parts.take(event)
      void host.heard(event)
      this.#act()
      if (this.#isOver()) break
    }
  }

  /** Does what is to be done now; what takes long goes on in the background. */
  #act(): void {
    const { questions, shells, answers, steps, host, listener, setup } = this.#parts
    questions.heard()
    shells.heard()
    answers.heard()
    if (!steps.hasTurn && host.leaveIfRewound()) listener.agentGone()
    steps.takeAll(setup.isOver)
  }

  #isOver(): boolean {
    const { steps, setup, shells, answers, orders } = this.#parts
    if (steps.isClosing) return true
    const underWay = {
      turn: steps.hasTurn,
      setup: !setup.isOver,
      commands: shells.isBusy,
      files: answers.isBusy,
    }
    const answer = restAnswer(orders.view, this.#rest?.for ?? 0, underWay)
    this.#rest = answer ?? this.#rest
    if (answer && !answer.rests) this.#emit('rest_answer', answer)
    return answer?.rests ?? false
  }

  async #settled(): Promise<void> {
    await this.#workspace?.settled(this.#options.settleMs ?? defaultSettleMs)
  }

  async #close(): Promise<void> {
    const { steps, writer } = this.#parts
    await steps.endAll()
    await saveAll({ ...this.#parts, settled: () => this.#settled() })
    if (this.#rest?.rests) this.#emit('rest_answer', this.#rest)
    await writer.stored()
    const { hub, at, signal } = this.#options
    // Without this call the hub notices only later that the runner has gone.
    await endRunner(hub, at, { signal, patienceMs: endPatienceMs }).catch((why) => {
      if (isFenced(why)) throw why
    })
  }

  #emit<Name extends EventName>(name: Name, params: EventParams<Name>): void {
    this.#parts.writer.emit(event(name, params))
  }
}

/** Whether a newer runner has taken over: then this one can write nothing more. */
function isFenced(error: unknown): boolean {
  const code =
    (error as { code?: unknown } | null)?.code ?? (error as { cause?: { code?: unknown } })?.cause?.code
  return code === 'runner.fenced' || code === 'producer.fenced'
}
