import { handledBy, unparsed } from '@farhand/protocol/events/event-handlers'
import { eventName } from '@farhand/protocol/events/event-names'
import { AgentStart, ToolCall } from '@farhand/protocol/methods/agent'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { rewindsTo } from '@farhand/protocol/runs/rewinds-to'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

/** Marks the console event that tells users, once per run, what the agent does without asking. */
export const unaskedSaid = 'agent-unasked'

/** A message of a user's to the agent; an edit changes it until a turn has begun with it. */
export type Message = {
  id: number
  content: string
  attachments: readonly Attachment[]
  when: 'queue' | 'steer'
}

export type OpenShell = { command: string; begunBy: number | null; timeoutSeconds?: number | undefined }

/**
 * Whether the agent's session knows what happened before the message that is being worked on: nothing happened yet
 * (`empty`), it does (`kept`), or that is unknown (`doubtful`), for example because it died before it had saved its
 * first turn.
 */
export type SessionMemory = 'empty' | 'doubtful' | 'kept'

/** What the log asks of a runner, and what it says of the runners before it: a fold of the log. */
export class Orders {
  view: RunView = emptyRunView
  lastEventId = 0
  /** Messages that wait, and messages whose turn is not over. */
  readonly messages = new Map<number, Message>()
  /** By message: the event of its last ack. */
  readonly acks = new Map<number, number>()
  /** Messages that were sent into the running turn of another message, and which message that is. */
  readonly joined = new Map<number, number>()
  /** The newest cancel, or close: turns with an older ack are to end. */
  cancelledAt = 0
  /** The last mode, chosen by a user or by the agent. The next agent process is put into it. */
  modeId: string | null = null
  readonly config = new Map<string, unknown>()
  /** Tool calls that have begun and not ended, and the generation that began each. */
  readonly openTools = new Map<string, number>()
  /** Commands of users that have not ended, and the generation that began each. */
  readonly openShells = new Map<string, OpenShell>()
  /** Commands that a user wants stopped, until the runner has taken note. */
  readonly stoppedShells = new Set<string>()
  /** The generations that ran commands of users: what these left in the background may still be running. */
  readonly shellHosts = new Set<number>()
  /** Files that users asked for and that were not sent since. */
  readonly openFileRequests = new Set<WorkspacePath>()
  /** The agent's session; null where the next agent has to begin a new one. */
  session: (AgentStart & { generation: number }) | null = null
  /** The run has moved since the agent's session began (W46), so the session's files are in the other place. */
  isSessionElsewhere = false
  /** The newest rewind: an agent process from before it remembers too much (W39). */
  rewoundAt = 0
  memory: SessionMemory = 'empty'
  /** Whether an agent has done anything in this run that the next one should know. */
  hasWorked = false
  /** Whether users were told in this run what its agent does without asking. */
  isUnaskedSaid = false
  /** All work that began in the log up to this event was begun by an earlier runner. */
  inheritedUpTo = 0

  /**
   * Treats everything open now as begun by a runner that is dead. The generation of an event does not tell: the last
   * events of a dead runner are sent by the next one.
   */
  markInheritedAsDead(): void {
    this.inheritedUpTo = this.lastEventId
    for (const toolCallId of this.openTools.keys()) this.openTools.set(toolCallId, 0)
    for (const shell of this.openShells.values()) if (shell.begunBy !== null) shell.begunBy = 0
  }

  /** Takes the next event of the log. */
  take(event: SeenEvent): void {
    this.lastEventId = event.id
    const { place } = this.view
    this.view = foldRunView(this.view, event)
    if (this.view.place !== place) this.isSessionElsewhere = this.session !== null
    step(this, event.notification, event)
    for (const id of this.messages.keys()) {
      // Ids only grow: messages that are over are at the front, or were looked at before.
      if (this.isOpen(id)) break
      this.messages.delete(id)
      this.acks.delete(id)
      this.joined.delete(id)
    }
  }

  /** Takes an event that this runner writes itself: of these, it only reads the turn markers back (W17). */
  takeOwn({ method, params }: Notification, generation: number): void {
    const name = eventName(method)
    const start = name === 'agent_start' ? AgentStart.safeParse(params) : null
    if (start?.success) this.begin(start.data, generation)
    if (name === 'console') this.isUnaskedSaid ||= params?.about === unaskedSaid
    if (name === 'session/update') this.modeId = announcedMode(params?.update) ?? this.modeId
    const said = name === 'session/update' ? toolUpdated(params?.update) : params
    const isTool = name === 'tool_call' || name === 'tool_result' || name === 'session/update'
    const tool = isTool && said ? ToolCall.safeParse(said).data : undefined
    if (tool) this.tool(tool, name === 'tool_result', generation)
  }

  tool({ toolCallId, status }: ToolCall, isResult: boolean, generation: number): void {
    if (isResult || finalStatus.has(status ?? '')) this.openTools.delete(toolCallId)
    else this.openTools.set(toolCallId, generation)
    // An agent may begin tools forever and end none.
    if (this.openTools.size > mostOpenTools) this.openTools.delete(this.openTools.keys().next().value!)
  }

  /** An agent has started. */
  begin(said: AgentStart, generation: number): void {
    this.session = { ...said, generation }
    this.isSessionElsewhere = false
    if (said.how === 'new') this.memory = 'empty'
    if (said.how === 'briefed') this.memory = 'doubtful'
  }

  /** The next agent begins a new session, and is briefed from the log. */
  forgetSession(): void {
    this.session = null
    if (this.hasWorked) this.memory = 'doubtful'
  }

  /** The open messages that were sent into the turn of this message, in order. */
  joinedInto(messageId: number): number[] {
    const said = [...this.joined].filter(([id, into]) => into === messageId && this.isOpen(id))
    return said.map(([id]) => id).sort((a, b) => a - b)
  }

  /** Whether this message waits for its turn, or its turn is not over. */
  isOpen(id: number): boolean {
    return (
      this.view.openTurns.some(({ messageId }) => messageId === id) ||
      this.view.unacked.some((portion) => portion.includes(id))
    )
  }
}

const cutShort = new Set(['interrupted', 'failed'])
/** Stop reasons that the runner may have given, so that the agent heard nothing of the turn, or not all. */
const endsOfOurs = new Set([...cutShort, 'cancelled', 'limit'])

/** Whether the agent may not know of a turn that ended with this reason, or not know its end. */
export const mayBeUnknownToAgent = (stopReason: string) => endsOfOurs.has(stopReason)

const finalStatus = new Set(['completed', 'failed', 'cancelled'])

const mostOpenTools = 10_000

/** Some agents send an update for a tool without ever sending its beginning. */
function toolUpdated(update: unknown): unknown {
  return (update as { sessionUpdate?: unknown } | null)?.sessionUpdate === 'tool_call_update' ? update : null
}

function tool(orders: Orders, said: ToolCall, { by }: SeenEvent): void {
  if (by.kind === 'runner') orders.tool(said, false, by.generation)
}

const step = handledBy<Orders, [SeenEvent], void>({
  user_message: (orders, { content, attachments = [], when = 'queue' }, { id }) => {
    orders.messages.set(id, { id, content, attachments, when })
  },
  message_edit: (orders, { messageId, content }) => {
    const message = orders.messages.get(messageId)
    if (!message || orders.acks.has(messageId)) return
    if (content === null) orders.messages.delete(messageId)
    else orders.messages.set(messageId, { ...message, content })
  },
  ack: (orders, { id: messageId, into }, { id }) => {
    if (!orders.messages.has(messageId)) return
    if (into === undefined) orders.joined.delete(messageId)
    else orders.joined.set(messageId, into)
    orders.hasWorked ||= orders.acks.has(messageId)
    orders.acks.set(messageId, id)
  },
  turn_complete: (orders, { stopReason }) => {
    orders.hasWorked = true
    if (!mayBeUnknownToAgent(stopReason)) orders.memory = 'kept'
    else if (orders.memory === 'empty' && cutShort.has(stopReason)) orders.memory = 'doubtful'
  },
  cancel: unparsed((orders, _, { id }) => {
    orders.cancelledAt = id
  }),
  // A user who reopens the run does not want to find the old turn at work.
  close: unparsed((orders, _, { id }) => {
    orders.cancelledAt = id
  }),
  rewind: unparsed((orders, _, event) => {
    if (rewindsTo(event) === null) return
    orders.rewoundAt = event.id
    orders.cancelledAt = event.id
    orders.forgetSession()
  }),
  // The session belongs to the other run, and so do requests that were not begun there. What had begun and has no end
  // gets one from the next runner, as after a crash.
  forked: unparsed((orders) => {
    // A turn that the fork cuts in the middle gets no turn_complete that would set this.
    orders.hasWorked ||= orders.acks.size > 0
    orders.forgetSession()
    orders.openFileRequests.clear()
    orders.shellHosts.clear()
    for (const [id, { begunBy }] of orders.openShells) if (begunBy === null) orders.openShells.delete(id)
  }),
  'session/set_mode': (orders, { modeId }) => {
    orders.modeId = modeId
  },
  'session/set_config_option': (orders, { configId, value }) => {
    orders.config.set(configId, value)
  },
  tool_call: tool,
  'session/update': (orders, { update }, event) => {
    orders.modeId = announcedMode(update) ?? orders.modeId
    const said = ToolCall.safeParse(toolUpdated(update)).data
    if (said) tool(orders, said, event)
  },
  tool_result: (orders, { toolCallId }) => {
    orders.openTools.delete(toolCallId)
  },
  shell: (orders, { id, command, timeoutSeconds }) => {
    if (!orders.openShells.has(id)) orders.openShells.set(id, { command, begunBy: null, timeoutSeconds })
  },
  shell_stop: (orders, { id }) => {
    orders.stoppedShells.add(id)
  },
  sandbox_output: (orders, { id = '', exitCode }, { by }) => {
    const shell = orders.openShells.get(id)
    if (by.kind === 'runner') orders.shellHosts.add(by.generation)
    if (exitCode !== undefined) {
      orders.openShells.delete(id)
      orders.stoppedShells.delete(id)
    } else if (shell && by.kind === 'runner') shell.begunBy = by.generation
  },
  file_request: (orders, { path }) => {
    orders.openFileRequests.add(path)
  },
  file_content: (orders, { path }) => {
    orders.openFileRequests.delete(path)
  },
  console: unparsed((orders, params, { by }) => {
    orders.isUnaskedSaid ||= by.kind === 'runner' && params.about === unaskedSaid
  }),
  agent_start: (orders, said, { by }) => {
    if (by.kind === 'runner') orders.begin(said, by.generation)
  },
})

/** The mode that an agent reports in this update; null if the update is about something else, or about a sub-session. */
export function announcedMode(update: unknown): string | null {
  const said = update as { sessionUpdate?: unknown; currentModeId?: unknown; _meta?: object | null } | null
  if (said?.sessionUpdate !== 'current_mode_update') return null
  if (said._meta && 'farhand/sessionId' in said._meta) return null
  return typeof said.currentModeId === 'string' && said.currentModeId !== '' ? said.currentModeId : null
}
