import { z } from 'zod'
import { RunMode } from './api.ts'
import type { StoredEvent } from './event.ts'
import { QuestionId } from './ids.ts'

export const RunStatus = z.enum(['queued', 'provisioning', 'active', 'asleep', 'paused', 'closed', 'failed'])
export type RunStatus = z.infer<typeof RunStatus>

export const AgentStatus = z.enum(['thinking', 'waiting', 'idle'])
export type AgentStatus = z.infer<typeof AgentStatus>

const EventId = z.number().int().positive()

/** The first answer counts; the question stays open until the agent has it and `question_closed` says so. */
export const GivenAnswer = z.object({ answer: z.unknown(), eventId: EventId })
export type GivenAnswer = z.infer<typeof GivenAnswer>

/** A question without its `question_closed`. What the asker left out is null. */
export const OpenQuestion = z.object({
  questionId: QuestionId,
  question: z.string(),
  kind: z.enum(['question', 'permission']),
  options: z.array(z.unknown()).nullable(),
  timeout: z.number().nullable(),
  default: z.unknown(),
  toolCallId: z.string().nullable(),
  replaces: QuestionId.nullable(),
  eventId: EventId,
  askedAt: z.string(),
  /** The generation whose agent waits for the answer. Below the run's, that agent is dead (W30). */
  generation: z.number().int(),
  given: GivenAnswer.nullable(),
})
export type OpenQuestion = z.infer<typeof OpenQuestion>

/** An acked message whose `turn_complete` has not come; a second ack means it was continued once (W29). */
export const OpenTurn = z.object({
  messageId: EventId,
  acks: z.number().int().positive(),
  generation: z.number().int(),
})
export type OpenTurn = z.infer<typeof OpenTurn>

export const LastCommit = z.object({ sha: z.string(), branch: z.string().nullable() })
export type LastCommit = z.infer<typeof LastCommit>

/** Where a run stands, as a fold of its log. Plain JSON: the hub keeps it beside the log as a shortcut. */
export const RunView = z.object({
  status: RunStatus,
  /** What `resume` goes back to; null unless the status is paused. */
  pausedFrom: RunStatus.nullable(),
  /** Someone asked to close it; `session_close` has not come yet. */
  closing: z.boolean(),
  mode: RunMode,
  /** What the user allowed to be answered without them; null: nothing. */
  policy: z.unknown(),
  generation: z.number().int(),
  openQuestions: z.array(OpenQuestion),
  /** Event ids of messages that no ack and no withdrawal has named, oldest first. */
  unacked: z.array(EventId),
  openTurns: z.array(OpenTurn),
  lastCommit: LastCommit.nullable(),
  /** When a person or the agent last did something; the hub's own lines do not count. */
  lastActivityAt: z.string().nullable(),
})
export type RunView = z.infer<typeof RunView>

export const emptyRunView: RunView = {
  status: 'queued',
  pausedFrom: null,
  closing: false,
  mode: 'interactive',
  policy: null,
  generation: 0,
  openQuestions: [],
  unacked: [],
  openTurns: [],
  lastCommit: null,
  lastActivityAt: null,
}

/** The view after one more event. Returns the same object when nothing changed, never changes the one given. */
export function runView(view: RunView, _event: StoredEvent): RunView {
  return view
}
