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

/** A command or a file that somebody asked for and has not been given. */
export const OpenAsk = z.object({ what: z.enum(['shell', 'file']), name: z.string(), eventId: EventId })
export type OpenAsk = z.infer<typeof OpenAsk>

/** The hub has asked the runner of this generation to rest, and what it said to that; null: nothing yet. */
export const RestAsked = z.object({
  request: EventId,
  askedAt: z.string(),
  rests: z.boolean().nullable(),
  answeredAt: z.string().nullable(),
})
export type RestAsked = z.infer<typeof RestAsked>

export const LastCommit = z.object({ sha: z.string(), branch: z.string().nullable() })
export type LastCommit = z.infer<typeof LastCommit>

export const LastCheckpoint = z.object({ sha: z.string() })
export type LastCheckpoint = z.infer<typeof LastCheckpoint>

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
  unacked: IdList,
  openTurns: z.array(OpenTurn),
  /** Since when the agent has been at it; null: it is not. */
  turnSince: z.string().nullable(),
  /** How many turns are over. */
  turns: z.number().int().nonnegative(),
  /** How the last of them ended that a rewind has not taken back; null: there is none. */
  stopReason: z.string().nullable(),
  /** Each change of that and its event, oldest first: what a rewind goes back to. */
  ends: z.array(TurnEnd),
  openAsks: z.array(OpenAsk),
  rest: RestAsked.nullable(),
  /** The newest commit on the branch that it names. */
  lastCommit: LastCommit.nullable(),
  /** The newest checkpoint, a commit that is on no branch. */
  lastCheckpoint: LastCheckpoint.nullable(),
  /** Where its agent works since it was moved there (W46); null: where it was made to. */
  place: z.string().nullable(),
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
  turnSince: null,
  turns: 0,
  stopReason: null,
  ends: [],
  openAsks: [],
  rest: null,
  lastCommit: null,
  lastCheckpoint: null,
  place: null,
  lastActivityAt: null,
}
