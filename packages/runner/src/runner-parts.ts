import { readLog } from '@farhand/client/follow/read-log'
import { Producer } from '@farhand/client/post/producer'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { runnerSecrets } from './agent/agent-secrets.ts'
import { Conversation } from './briefing/conversation.ts'
import { BroughtSetup } from './bring/brought-setup.ts'
import { Checkpoints } from './checkpoints/checkpoints.ts'
import { EventWriter } from './events/event-writer.ts'
import { Redaction } from './events/redaction.ts'
import { FileAnswers } from './files/file-answers.ts'
import type { Workspace } from './files/workspace.ts'
import { AgentHost } from './host/agent-host.ts'
import { Budget } from './limits/budget.ts'
import { AgentMemory } from './memory/agent-memory.ts'
import { AwaitedBase } from './orders/awaited-base.ts'
import { Orders } from './orders/orders.ts'
import { PendingQuestions } from './questions/pending-questions.ts'
import type { RunnerOptions } from './runner-options.ts'
import { Setup } from './setup/setup.ts'
import { Shells } from './shell/shells.ts'
import { AgentListener } from './turns/agent-listener.ts'
import { promptBuilder } from './turns/prompt-builder.ts'
import { StepRunner } from './turns/step-runner.ts'
import { TurnMarkers } from './turns/turn-markers.ts'

/** Short: agent and user wait for the hub to come back. The random part of each pause keeps runners from coming all at once. */
export const backoff = { firstMs: 100, maxMs: 1_000 }

/** What the parts need from the runner itself. */
export type RunnerHooks = {
  fail: (why: unknown) => void
  /** Something has happened that may call for a next step. */
  next: () => void
  /** Resolves when the files that the agent wrote are in the log, or the wait for them took too long. */
  settled: () => Promise<void>
  /** Null until the workspace is open. */
  workspace: () => Workspace | null
}

/** Everything a runner consists of, wired together, and who of them is told of which events. */
export class RunnerParts {
  readonly orders = new Orders()
  readonly budget = new Budget()
  readonly writer: EventWriter
  readonly conversation: Conversation
  readonly producer: Producer
  readonly markers: TurnMarkers
  readonly questions: PendingQuestions
  readonly listener: AgentListener
  readonly memory: AgentMemory | null
  readonly brought: BroughtSetup | null
  readonly host: AgentHost
  readonly shells: Shells
  readonly setup: Setup
  readonly answers: FileAnswers
  readonly checkpoints: Checkpoints | null
  readonly base: AwaitedBase
  readonly steps: StepRunner
  readonly #generation: number

  constructor(options: RunnerOptions, { fail, next, settled, workspace }: RunnerHooks) {
    const { hub, at, generation, agent, signal, state, start } = options
    const { cwd, env } = agent.command
    const { orders, budget } = this
    this.#generation = generation
    const secrets = runnerSecrets(options)
    this.writer = new EventWriter({
      redaction: new Redaction(secrets),
      takeOwn: (event) => this.#takeOwn(event),
      pauseReading: () => this.#pauseReading(),
    })
    const emit = (event: Notification) => this.writer.emit(event)
    this.conversation = new Conversation(() => readLog(hub, at, { signal }))
    this.producer = new Producer(hub, at, { id: 'runner', epoch: generation, backoff, signal })
    this.markers = new TurnMarkers(generation, emit)
    this.questions = new PendingQuestions({ orders, mark: (event) => this.markers.mark(event) })
    this.listener = new AgentListener({
      ...{ orders, questions: this.questions, workspace: cwd, emit, fail, name: agent.id },
      endTurn: () => this.steps.endTurn(),
    })
    const shared = { hub, at, state, signal, cwd, secrets, orders, emit }
    this.memory = options.memory
      ? new AgentMemory({
          ...{ ...shared, ...options.memory, generation, agent: agent.id },
          isIdle: () => !this.steps.hasTurn,
        })
      : null
    this.brought = options.bring ? new BroughtSetup({ ...options, emit }) : null
    const { memory, brought, listener, questions, markers } = this
    this.host = new AgentHost({ ...agent, orders, emit, memory, brought, start, signal, handlers: listener })
    this.shells = new Shells({ orders, cwd, env, emit, generation, run: at.run })
    this.setup = new Setup({ ...shared, terms: options.setup, env })
    this.answers = new FileAnswers({ orders, root: cwd, hub, at, emit, fail, signal })
    this.checkpoints = Checkpoints.of(options, emit)
    this.base = new AwaitedBase(options.checkpoints?.clone === null)
    const { host, conversation, setup, checkpoints } = this
    const blocks = promptBuilder({ ...options, host, conversation, setup, workspace })
    this.steps = new StepRunner({
      ...{ orders, generation, host, blocks, settled, budget, questions, listener, markers },
      ...{ memory, checkpoints, emit, next, fail },
    })
  }

  /** Passes an event of the log to all parts that fold the log. */
  take(event: SeenEvent): void {
    this.orders.take(event)
    this.budget.take(event)
    this.conversation.take(event)
    this.memory?.take(event)
    this.brought?.take(event)
    this.markers.heard(event)
    this.setup.heard(event)
    this.checkpoints?.take(event)
    this.base.take(event)
  }

  resumeReading(): void {
    this.shells.resumeReading()
    void this.host.current().then((agent) => agent?.resumeReading())
  }

  #takeOwn(event: Notification): void {
    this.orders.takeOwn(event, this.#generation)
    this.budget.takeOwn(event)
    this.conversation.takeOwn(event)
    this.memory?.takeOwn(event)
    this.steps.lookAtLimits()
  }

  #pauseReading(): void {
    this.shells.pauseReading()
    void this.host.current().then((agent) => agent?.pauseReading())
  }
}
