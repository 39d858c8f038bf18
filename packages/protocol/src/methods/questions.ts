import { z } from 'zod'
import { QuestionId } from '../wire/ids.ts'
import { within } from '../wire/json-within.ts'

export const QuestionKind = z.enum(['question', 'permission'])
export type QuestionKind = z.infer<typeof QuestionKind>

/** Plain text, or an option as ACP describes one. People are shown the text or the name. */
export const QuestionOption = z.union([
  z.string().max(4096),
  z.looseObject({
    optionId: z.string().max(1000),
    name: z.string().max(4096),
    kind: z.string().optional(),
  }),
])
export type QuestionOption = z.infer<typeof QuestionOption>

/** The text, the option's id, or the filled-in form. */
export const Answer = within(
  z.unknown().refine((answer) => answer !== undefined, 'expected an answer'),
  32_768,
)
export type Answer = z.infer<typeof Answer>

/**
 * `timeout` is in seconds; when it is over the question expires, and `default` is the answer if there is one. While a
 * question is open everybody who follows the run keeps it: each of its parts has a limit.
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
  /** A JSON schema of what is to be filled in, for those that can show it; the text says it too. */
  form: within(z.looseObject({}), 32_768).optional(),
  /** A page that is to be opened; the text says it too. */
  url: z.string().max(4096).optional(),
  /** The agent wants to leave planning and begin. */
  isPlan: z.boolean().optional(),
})
export type AgentQuestion = z.infer<typeof AgentQuestion>

/** Only the earliest is the answer; others stay in the log without effect. `by` names who answered, for people to read. */
export const UserResponse = z.looseObject({
  questionId: QuestionId,
  answer: Answer,
  by: z.string().optional(),
})
export type UserResponse = z.infer<typeof UserResponse>

/**
 * Exactly one per question. `answer` is there when no person gave it: then `by` says who did, such as
 * `policy:allow-edits` or `question` for the question's own default, and `why` says it to people (W36).
 */
export const QuestionClosed = z.looseObject({
  questionId: QuestionId,
  how: z.enum(['answered', 'expired', 'cancelled', 'superseded']),
  answer: Answer.optional(),
  by: z.string().max(100).optional(),
  why: z.string().max(4096).optional(),
})
export type QuestionClosed = z.infer<typeof QuestionClosed>
