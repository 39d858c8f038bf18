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
import { announcedMode } from './announced-mode.ts'

/** By which a run says of its agent, once, that it does something unasked. */
export const unaskedSaid = 'agent-unasked'

/** What a person said to the agent; an edit changes it until somebody has begun with it. */
export type Message = {
  id: number
  content: string
  attachments: readonly Attachment[]
  when: 'queue' | 'steer'
}

export type OpenShell = { command: string; begunBy: number | null; timeoutSeconds?: number | undefined }

/**
 * Whether the agent's own session has what went before the message that is under way: there was nothing, or it kept it,
 * or that is in doubt. An agent that dies before its first turn is over may not have kept what it was told.
 */
export type SessionMemory = 'empty' | 'doubtful' | 'kept'

/** What the log asks of a runner and tells about those before it. */
export class Orders {
  view: RunView = emptyRunView
  lastEventId = 0
  /** Those that wait, and those whose turn is not over. */
  readonly messages = new Map<number, Message>()
  /** The event in which a message was last taken on. */
  readonly acks = new Map<number, number>()
  /** Messages that were said into the turn of another, and which one that is. */
  readonly joined = new Map<number, number>()
  /** The newest cancel, or close: turns that were taken on before it are to end. */
  cancelledAt = 0
  /** The mode that a person chose or the agent went to, whichever was last, and what people chose besides: for its next life. */
  modeId: string | null = null
  readonly config = new Map<string, unknown>()
  /** Tools that have begun and of which no end is known, and the generation that began them. */
  readonly openTools = new Map<string, number>()
  /** Commands of people of which no end is known, and the generation that began with one. */
  readonly openShells = new Map<string, OpenShell>()
  /** Commands that people want stopped, until whoever runs them has heard of it. */
  readonly stoppedShells = new Set<string>()
  /** The generations that ran commands of people: what one of them left in the background may still be there. */
  readonly shellHosts = new Set<number>()
  /** Files that people asked for and have not been shown since. */
  readonly openFileRequests = new Set<WorkspacePath>()
  /** The agent's own, as long as what it remembers is what it should. */
  session: (AgentStart & { generation: number }) | null = null
  /** The run has moved since the agent's session was begun (W46): it lies where the run was. */
  isSessionElsewhere = false
  /** The newest rewind: an agent that was there before it knows too much (W39). */
  rewoundAt = 0
  memory: SessionMemory = 'empty'
  /** Whether an agent has done anything in this run that the next one should know of. */
  hasWorked = false
  /** Whether people were told in this run that its agent does things unasked. */
  isUnaskedSaid = false
  /** Up to this event nothing was begun by the runner that reads this. */
  inheritedUpTo = 0

  /**
   * All that is open now was begun by others, whatever generation is said to have said it: the last words of a runner
   * that died are sent by the one that takes its place.
   */
  markInheritedAsDead(): void {
    this.inheritedUpTo = this.lastEventId
    for (const toolCallId of this.openTools.keys()) this.openTools.set(toolCallId, 0)
    for (const shell of this.openShells.values()) if (shell.begunBy !== null) shell.begunBy = 0
  }

  /** Takes one more event, in their order. */
  take(event: SeenEvent): void {
    this.lastEventId = event.id
    const { place } = this.view
    this.view = foldRunView(this.view, event)
    if (this.view.place !== place) this.isSessionElsewhere = this.session !== null
    step(this, event.notification, event)
    for (const id of this.messages.keys()) {
      // Ids only grow, so what is over is at the front or was looked at before.
      if (this.isOpen(id)) break
      this.messages.delete(id)
      this.acks.delete(id)
      this.joined.delete(id)
    }
  }

  /** Takes what was said by this very runner: only its marks are read back (W17). */
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

  /** Something was told of a tool. */
  tool({ toolCallId, status }: ToolCall, isResult: boolean, generation: number): void {
    if (isResult || finalStatus.has(status ?? '')) this.openTools.delete(toolCallId)
    else this.openTools.set(toolCallId, generation)
    // An agent may begin tools for ever and end none.
    if (this.openTools.size > mostOpenTools) this.openTools.delete(this.openTools.keys().next().value!)
  }

  /** An agent is there. */
  begin(said: AgentStart, generation: number): void {
    this.session = { ...said, generation }
    this.isSessionElsewhere = false
    if (said.how === 'new') this.memory = 'empty'
    if (said.how === 'briefed') this.memory = 'doubtful'
  }

  /** The next agent begins in a session of its own, and is told what it should know. */
  forgetSession(): void {
    this.session = null
    if (this.hasWorked) this.memory = 'doubtful'
  }

  /** Those that were said into the turn of this message and are not over, in the order in which they came. */
  joinedInto(messageId: number): number[] {
    const said = [...this.joined].filter(([id, into]) => into === messageId && this.isOpen(id))
    return said.map(([id]) => id).sort((a, b) => a - b)
  }

  /** Whether this message waits, or its turn is not over. */
  isOpen(id: number): boolean {
    return (
      this.view.openTurns.some(({ messageId }) => messageId === id) ||
      this.view.unacked.some((portion) => portion.includes(id))
    )
  }
}

const cutShort = new Set(['interrupted', 'failed'])
/** With which a turn may end of which its agent never heard, or did not hear all. */
const endsOfOurs = new Set([...cutShort, 'cancelled', 'limit'])

/** Whether a turn that ended so may be one that the agent does not know of, or not to its end. */
export const mayBeUnknownToAgent = (stopReason: string) => endsOfOurs.has(stopReason)

const finalStatus = new Set(['completed', 'failed', 'cancelled'])

const mostOpenTools = 10_000

/** What some agents tell of a tool instead of its beginning. */
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
  // Nobody who opens the run again wants to find the old turn at work.
  close: unparsed((orders, _, { id }) => {
    orders.cancelledAt = id
  }),
  rewind: unparsed((orders, _, event) => {
    if (rewindsTo(event) === null) return
    orders.rewoundAt = event.id
    orders.cancelledAt = event.id
    orders.forgetSession()
  }),
  // That session is the other run's, and so is what was asked for there and not begun. What was begun and has no
  // end gets one from the next runner, as after a death.
  forked: unparsed((orders) => {
    // No turn_complete will say so of a turn in whose middle it is.
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
