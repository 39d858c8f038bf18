import { z } from 'zod'
import { QuestionKind, QuestionOption } from '../methods/questions.ts'
import { EventId, QuestionId } from '../wire/ids.ts'

/** The first answer counts; the question stays open until its agent has it and `question_closed` says so. */
export const GivenAnswer = z.object({ answer: z.unknown(), eventId: EventId })
export type GivenAnswer = z.infer<typeof GivenAnswer>

/** A question without its `question_closed`. Fields that the runner left out are null. */
export const OpenQuestion = z.object({
  questionId: QuestionId,
  question: z.string(),
  kind: QuestionKind,
  options: z.array(QuestionOption).nullable(),
  timeout: z.number().nullable(),
  default: z.unknown(),
  toolCallId: z.string().nullable(),
  replaces: QuestionId.nullable(),
  form: z.looseObject({}).nullable(),
  url: z.string().nullable(),
  isPlan: z.boolean(),
  eventId: EventId,
  askedAt: z.string(),
  /** The generation whose agent waits for the answer. */
  generation: z.number().int(),
  given: GivenAnswer.nullable(),
})
export type OpenQuestion = z.infer<typeof OpenQuestion>

/**
 * Whether an answer can still reach the agent that asked.
 *
 * Once a newer generation has begun, that agent is dead, and an answer would have no effect. The question stays in the view
 * until the newer runner or the hub has written its `question_closed`: the view shows them which are left (W30).
 */
export function isAnswerable(question: OpenQuestion, generation: number): boolean {
  return question.given === null && question.generation >= generation
}
