import { z } from 'zod'
import { QuestionId } from '../wire/ids.ts'
import { within } from '../wire/json-within.ts'

export const QuestionKind = z.enum(['question', 'permission'])
export type QuestionKind = z.infer<typeof QuestionKind>

/** Plain text, or an option as ACP describes one. Users see the text or the name. */
export const QuestionOption = z.union([
  z.string().max(4096),
  z.looseObject({ optionId: z.string().max(1000), name: z.string().max(4096), kind: z.string().optional() }),
])
export type QuestionOption = z.infer<typeof QuestionOption>

/** The text, the option's id, or the filled-in form. */
export const Answer = within(
  z.unknown().refine((answer) => answer !== undefined, 'expected an answer'),
  32_768,
)
export type Answer = z.infer<typeof Answer>

/**
 * `timeout` is in seconds; after it the question expires, and `default` is the answer if there is one. Every program that
 * follows the run keeps open questions in memory: each of its parts has a limit.
 */
export const AgentQuestion = z.looseObject({
  questionId: QuestionId,
  question: z.string().max(32_768),
  kind: QuestionKind.optional(),
  options: within(z.array(QuestionOption).max(100), 32_768).optional(),
  timeout: z.number().positive().optional(),
  default: within(Answer, 16_384).optional(),
  toolCallId: z.string().max(1000).optional(),
  replaces: QuestionId.optional(),
  /** A JSON schema of the form to fill in, for clients that can show it; the text describes it too. */
  form: within(z.looseObject({}), 32_768).optional(),
  /** A page that the user has to open; the text names it too. */
  url: z.string().max(4096).optional(),
  /** The question is a plan: the agent asks to leave planning and begin. */
  isPlan: z.boolean().optional(),
})
export type AgentQuestion = z.infer<typeof AgentQuestion>

/** Only the earliest is the answer; others stay in the log without effect. `by` names the person who answered, for display. */
export const UserResponse = z.looseObject({
  questionId: QuestionId,
  answer: Answer,
  by: z.string().optional(),
})
export type UserResponse = z.infer<typeof UserResponse>

/**
 * Exactly one per question. `answer` is set when no user gave it: then `by` names its source, such as
 * `policy:allow-edits` or `question` for the question's own default, and `why` explains it to users (W36).
 */
export const QuestionClosed = z.looseObject({
  questionId: QuestionId,
  how: z.enum(['answered', 'expired', 'cancelled', 'superseded']),
  answer: Answer.optional(),
  by: z.string().max(100).optional(),
  why: z.string().max(4096).optional(),
})
export type QuestionClosed = z.infer<typeof QuestionClosed>
