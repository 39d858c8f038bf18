import { z } from 'zod'
import { RunMode } from '../schemas/api.ts'
import { EventId } from '../wire/ids.ts'
import { RunStatus } from '../wire/run-status.ts'
import { IdList } from './id-list.ts'
import { OpenQuestion } from './open-question.ts'

/** An acked message whose `turn_complete` has not come; a second ack means it was continued once (W29). */
export const OpenTurn = z.object({
  messageId: EventId,
  acks: z.number().int().positive(),
  generation: z.number().int(),
})
export type OpenTurn = z.infer<typeof OpenTurn>

export const TurnEnd = z.object({ eventId: EventId, stopReason: z.string().nullable() })
export type TurnEnd = z.infer<typeof TurnEnd>

/** A command or a file that a user asked for and the runner has not answered. */
export const OpenAsk = z.object({ what: z.enum(['shell', 'file']), name: z.string(), eventId: EventId })
export type OpenAsk = z.infer<typeof OpenAsk>

/** The hub's request to the runner of this generation to rest, and its answer; null: none yet. */
export const RestAsked = z.object({
  request: EventId,
  askedAt: z.string(),
  rests: z.boolean().nullable(),
  answeredAt: z.string().nullable(),
})
export type RestAsked = z.infer<typeof RestAsked>

/** How much of the agent's plan is done. */
export const PlanCounts = z.object({
  completed: z.number().int().nonnegative(),
  total: z.number().int().positive(),
})
export type PlanCounts = z.infer<typeof PlanCounts>

export const LastCommit = z.object({ sha: z.string(), branch: z.string().nullable() })
export type LastCommit = z.infer<typeof LastCommit>

export const LastCheckpoint = z.object({ sha: z.string() })
export type LastCheckpoint = z.infer<typeof LastCheckpoint>

/** The state of a run, as a fold of its log. Plain JSON: the hub stores it beside the log, to save folding all of it. */
export const RunView = z.object({
  status: RunStatus,
  /** The status that `resume` goes back to; null unless the status is paused. */
  pausedFrom: RunStatus.nullable(),
  /** A user asked to close it; `session_close` has not come yet. */
  closing: z.boolean(),
  mode: RunMode,
  /** The policy by which questions are answered without the user; null: none. */
  policy: z.unknown(),
  generation: z.number().int(),
  openQuestions: z.array(OpenQuestion),
  /** Event ids of messages that no ack and no withdrawal has named, oldest first. */
  unacked: IdList,
  openTurns: z.array(OpenTurn),
  /** Since when the agent has been working; null: it is not. */
  turnSince: z.string().nullable(),
  /** How many turns are over. */
  turns: z.number().int().nonnegative(),
  /** How the last turn ended that a rewind has not taken back; null: there is none. */
  stopReason: z.string().nullable(),
  /** Each change of `stopReason` and its event, oldest first: what a rewind goes back to. */
  ends: z.array(TurnEnd),
  openAsks: z.array(OpenAsk),
  /** The plan of the turn that began last; null: it has none. */
  plan: PlanCounts.nullable(),
  rest: RestAsked.nullable(),
  /** The newest commit on the branch that it names. */
  lastCommit: LastCommit.nullable(),
  /** The newest checkpoint, a commit that is on no branch. */
  lastCheckpoint: LastCheckpoint.nullable(),
  /** The kind of sandbox to which the run was moved (W46); null: it is where it was created. */
  place: z.string().nullable(),
  /** When the user or the agent last did something; events of the hub do not count. */
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
  turnSince: null,
  turns: 0,
  stopReason: null,
  ends: [],
  openAsks: [],
  plan: null,
  rest: null,
  lastCommit: null,
  lastCheckpoint: null,
  place: null,
  lastActivityAt: null,
}
