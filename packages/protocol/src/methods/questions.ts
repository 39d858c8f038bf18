import { z } from 'zod'
import { QuestionId } from '../ids.ts'

export const QuestionKind = z.enum(['question', 'permission'])
export type QuestionKind = z.infer<typeof QuestionKind>

/** Plain text, or an option as ACP describes one. People are shown the text or the name. */
export const QuestionOption = z.union([
  z.string(),
  z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string().optional() }),
])
export type QuestionOption = z.infer<typeof QuestionOption>

/** The text, the option's id, or the filled-in form. */
export const Answer = z.unknown().refine((answer) => answer !== undefined, 'expected an answer')
export type Answer = z.infer<typeof Answer>

/** `timeout` is in seconds; when it is over the question expires, and `default` is the answer if there is one. */
export const AgentQuestion = z.looseObject({
  questionId: QuestionId,
  question: z.string(),
  kind: QuestionKind.optional(),
  options: z.array(QuestionOption).optional(),
  timeout: z.number().positive().optional(),
  default: Answer.optional(),
  toolCallId: z.string().optional(),
  replaces: QuestionId.optional(),
})
export type AgentQuestion = z.infer<typeof AgentQuestion>

/** The first one counts; later ones are stored and ignored. `by` names who answered, for people to read. */
export const UserResponse = z.looseObject({
  questionId: QuestionId,
  answer: Answer,
  by: z.string().optional(),
})
export type UserResponse = z.infer<typeof UserResponse>

/** Exactly one per question. */
export const QuestionClosed = z.looseObject({
  questionId: QuestionId,
  how: z.enum(['answered', 'expired', 'cancelled', 'superseded']),
})
export type QuestionClosed = z.infer<typeof QuestionClosed>
