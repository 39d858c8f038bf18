import { join } from 'node:path'
import { follow, followPortions } from '@farhand/client/follow/follow'
import { readLog } from '@farhand/client/follow/read-log'
import { Producer } from '@farhand/client/post/producer'
import { endRunner } from '@farhand/client/resources/resources'
import type { Backoff } from '@farhand/kit/backoff'
import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { Notification } from '@farhand/protocol/wire/event'
import { newId, QuestionId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { Conversation } from './briefing/conversation.ts'
import { BroughtSetup } from './bring/brought-setup.ts'
import { Checkpoints } from './checkpoints/checkpoints.ts'
import { EventWriter } from './events/event-writer.ts'
import { openSender } from './events/open-sender.ts'
import { Redaction } from './events/redaction.ts'
import { FileAnswers } from './files/file-answers.ts'
import { Workspace } from './files/workspace.ts'
import { startHeartbeat } from './heartbeat.ts'
import { hiddenValues } from './hidden-values.ts'
import { AgentHost } from './host/agent-host.ts'
import { isFenced } from './is-fenced.ts'
import { Budget } from './limits/budget.ts'
import { AgentMemory } from './memory/agent-memory.ts'
import { AwaitedBase } from './orders/awaited-base.ts'
import { Orders } from './orders/orders.ts'
import { type RestAnswer, restAnswer } from './orders/rest-answer.ts'
import { PendingQuestions } from './questions/pending-questions.ts'
import type { RunnerOptions } from './runner-options.ts'
import { saveAll } from './save-all.ts'
import { Setup } from './setup/setup.ts'
import { Shells } from './shell/shells.ts'
import { AgentListener } from './turns/agent-listener.ts'
import { prompting } from './turns/prompt-builder.ts'
import { StepRunner } from './turns/step-runner.ts'
import { TurnMarkers } from './turns/turn-markers.ts'

export type { RunnerOptions }

/** Why a runner has ended: the run was closed, it has nothing to do (W37), another one has its place, or it was told to. */
export type RunnerEnd = 'closed' | 'resting' | 'fenced' | 'stopped'

const usualSettleMs = 2_000
// An agent and people wait for a hub that is back; that all come at once is prevented by the chance in each pause.
const backoff: Backoff = { firstMs: 100, maxMs: 1_000 }
const doneMs = 2_000

/** Hosts the agent of a run until the run is closed: follows its log, works on what people ask, and tells what happens. */
export async function hostAgent(options: RunnerOptions): Promise<RunnerEnd> {
  const own = new AbortController()
  const signal = AbortSignal.any([options.signal, own.signal])
  const hub = { ...options.hub, fetch: options.hub.fetch ?? leanFetch }
  const runner = new Runner({ ...options, hub, signal }, (why) => own.abort(why))
  // From the first moment: what it waits for before it can work may take long.
  const signs = startHeartbeat(hub, options.at, signal, () => runner.isClosing)
  try {
    return await runner.run()
  } catch (error) {
    if (options.signal.aborted) return 'stopped'
    if (isFenced(error)) return 'fenced'
    throw error
  } finally {
    signs.stop()
    own.abort()
    await runner.end()
  }
}

class Runner {
  readonly #options: RunnerOptions
  readonly #fail: (why: unknown) => void
  readonly #orders = new Orders()
  readonly #budget = new Budget()
  readonly #conversation: Conversation
  readonly #voice: EventWriter
  readonly #producer: Producer
  readonly #marks: TurnMarkers
  readonly #asking: PendingQuestions
  readonly #listener: AgentListener
  readonly #memory: AgentMemory | null
  readonly #brought: BroughtSetup | null
  readonly #host: AgentHost
  readonly #shells: Shells
  readonly #answers: FileAnswers
  readonly #setup: Setup
  readonly #checkpoints: Checkpoints | null
  readonly #beginning: AwaitedBase
  readonly #steps: StepRunner
  #workspace: Workspace | null = null
  #rest: RestAnswer | null = null

  constructor(options: RunnerOptions, fail: (why: unknown) => void) {
    this.#options = options
    this.#fail = fail
    const { hub, at, generation, agent, signal } = options
    const orders = this.#orders
    const secrets = hiddenValues(options)
    this.#voice = new EventWriter({
      redaction: new Redaction(secrets),
      takeOwn: (event) => this.#takeOwn(event),
      hold: () => this.#hold(),
    })
    this.#conversation = new Conversation(() => readLog(hub, at, { signal }))
    this.#producer = new Producer(hub, at, { id: 'runner', epoch: generation, backoff, signal })
    const say = (event: Notification) => this.#voice.say(event)
    this.#marks = new TurnMarkers(generation, say)
    const mark = (event: Notification) => this.#marks.mark(event)
    this.#asking = new PendingQuestions({ orders, newId: () => newId(QuestionId, 'qst'), mark })
    const { cwd, env } = agent.command
    const endTurn = () => this.#steps.endTurn()
    const heard = { orders, asking: this.#asking, workspace: cwd, say, fail, endTurn, name: agent.id }
    this.#listener = new AgentListener(heard)
    const parts = { ...options, ...options.memory!, agent: agent.id, cwd, secrets, orders, say }
    this.#memory = options.memory ? new AgentMemory({ ...parts, isIdle: () => !this.#steps.hasTurn }) : null
    const { start } = options
    const memory = this.#memory
    const brought = options.bring ? new BroughtSetup({ ...options, say }) : null
    this.#brought = brought
    const hosted = { ...agent, orders, say, memory, brought, start, signal }
    this.#host = new AgentHost({ ...hosted, handlers: this.#listener })
    this.#shells = new Shells({ orders, cwd, env, say, generation, run: at.run })
    const { state, setup: terms } = options
    this.#setup = new Setup({ hub, at, state, signal, terms, cwd, env, secrets, say })
    this.#answers = new FileAnswers({ orders, root: cwd, hub, at, say, fail, signal })
    this.#checkpoints = Checkpoints.of(options, say)
    this.#beginning = new AwaitedBase(options.checkpoints?.clone === null)
    const told = { host: this.#host, conversation: this.#conversation, setup: this.#setup }
    this.#steps = new StepRunner({
      orders,
      generation,
      host: this.#host,
      blocks: prompting({ ...options, ...told, workspace: () => this.#workspace }),
      settled: () => this.#settled(),
      budget: this.#budget,
      asking: this.#asking,
      listener: this.#listener,
      marks: this.#marks,
      memory,
      checkpoints: this.#checkpoints,
      say,
      next: () => this.#act(),
      fail,
    })
  }

  get isClosing(): boolean {
    return this.#steps.isClosing
  }

  /** Resolves when the run is closed, or this runner rests. */
  async run(): Promise<'closed' | 'resting'> {
    await this.#readLog()
    this.#setup.run().then(() => this.#steps.isClosing || this.#act(), this.#fail)
    this.#act()
    // No more orders come to a run that was being closed before this began.
    if (!this.#isOver()) await this.#obey()
    await this.#close()
    return this.#steps.isClosing ? 'closed' : 'resting'
  }

  /** Resolves when the run is closed, or this runner rests. */
  async #obey(): Promise<void> {
    const { hub, at, signal } = this.#options
    const orders = follow(hub, at, {
      after: this.#orders.lastEventId,
      to: 'agent',
      envelope: 'stored',
      backoff,
      signal,
    })
    for await (const event of orders) {
      this.#take(event)
      void this.#host.heard(event)
      this.#act()
      if (this.#isOver()) break
    }
  }

  #isOver(): boolean {
    if (this.#steps.isClosing) return true
    const underWay = {
      turn: this.#steps.hasTurn,
      setup: !this.#setup.isOver,
      commands: this.#shells.isBusy,
      files: this.#answers.isBusy,
    }
    const answer = restAnswer(this.#orders.view, this.#rest?.for ?? 0, underWay)
    this.#rest = answer ?? this.#rest
    if (answer && !answer.rests) this.#say('rest_answer', answer)
    return answer?.rests ?? false
  }

  /** Leaves nothing running. */
  async end(): Promise<void> {
    this.#marks.end(this.#options.signal.reason)
    await Promise.all([this.#shells.stop(), this.#host.stop(), this.#setup.stop()])
    await this.#workspace?.over.catch(() => {})
  }

  /** Reads all there is, and hands in what a runner before this one had left to say. */
  async #readLog(): Promise<void> {
    const { hub, at, generation, state, signal } = this.#options
    const { sender, handedIn } = await openSender({
      hub,
      at,
      folder: join(state, 'journal'),
      generation,
      read: (also) =>
        this.#readUntilLive((event) => {
          also(event)
          this.#take(event)
        }),
      producer: this.#producer,
      backoff,
      signal,
      onRoom: () => this.#letGo(),
      onOver: (why) => this.#fail(why),
      onRefused: (event, why) => this.#marks.refused(event, why),
    })
    this.#voice.open(sender)
    // Why it cannot begin has to be known: nobody will ask this place again.
    await this.#checkpoints?.restore().catch(async (why) => {
      await this.#voice.stored()
      throw why
    })
    const heard = (event: SeenEvent) => this.#checkpoints?.take(event)
    this.#workspace = Workspace.of(this.#options, { producer: this.#producer, backoff, heard })
    this.#workspace.over.catch((why) => this.#fail(why))
    await handedIn()
    // What was handed in may have ended the very turn that would be continued.
    await this.#readUntilLive((event) => this.#take(event))
    this.#orders.markInheritedAsDead()
    // One that is over before that will never be in step.
    await Promise.race([this.#workspace.inStep, this.#workspace.over])
    signal.throwIfAborted()
    // Nobody has seen them otherwise before the first turn.
    if (this.#orders.view.turns === 0) this.#workspace.takeChanged()
    this.#checkpoints?.begin()
  }

  async #readUntilLive(take: (event: SeenEvent) => void): Promise<void> {
    const { hub, at, signal } = this.#options
    for await (const { events, live } of followPortions(hub, at, {
      after: this.#orders.lastEventId,
      backoff,
      signal,
    })) {
      for (const event of events) take(event)
      if (live && this.#beginning.isThere) return
      if (live) this.#checkpoints?.fetchAhead()
    }
  }

  #take(event: SeenEvent): void {
    this.#orders.take(event)
    this.#budget.take(event)
    this.#conversation.take(event)
    this.#memory?.take(event)
    this.#brought?.take(event)
    this.#marks.heard(event)
    this.#setup.heard(event)
    this.#checkpoints?.take(event)
    this.#beginning.take(event)
  }

  #takeOwn(event: Notification): void {
    this.#orders.takeOwn(event, this.#options.generation)
    this.#budget.takeOwn(event)
    this.#conversation.takeOwn(event)
    this.#memory?.takeOwn(event)
    this.#steps.lookAtLimits()
  }

  #hold(): void {
    this.#shells.hold()
    void this.#host.current().then((agent) => agent?.hold())
  }

  #letGo(): void {
    this.#shells.letGo()
    void this.#host.current().then((agent) => agent?.letGo())
  }

  /** Does what is to be done now; what takes long goes on by itself. */
  #act(): void {
    this.#asking.heard()
    this.#shells.heard()
    this.#answers.heard()
    if (!this.#steps.hasTurn && this.#host.leaveIfRewound()) this.#listener.agentGone()
    this.#steps.takeAll(this.#setup.isOver)
  }

  async #settled(): Promise<void> {
    await this.#workspace?.settled(this.#options.settleMs ?? usualSettleMs)
  }

  async #close(): Promise<void> {
    await this.#steps.endAll()
    await saveAll({
      setup: this.#setup,
      host: this.#host,
      memory: this.#memory,
      shells: this.#shells,
      answers: this.#answers,
      settled: () => this.#settled(),
      checkpoints: this.#checkpoints,
    })
    if (this.#rest?.rests) this.#say('rest_answer', this.#rest)
    await this.#voice.stored()
    const { hub, at, signal } = this.#options
    // Without this word the hub finds out by itself that nobody is there, only later.
    await endRunner(hub, at, { signal, patienceMs: doneMs }).catch((why) => {
      if (isFenced(why)) throw why
    })
  }

  #say<Name extends EventName>(name: Name, params: EventParams<Name>): void {
    this.#voice.say(event(name, params))
  }
}
