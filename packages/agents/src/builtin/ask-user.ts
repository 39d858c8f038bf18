import { z } from 'zod'
import type { Turn } from '../acp-program.ts'
import { askForm } from '../ask-form.ts'
import type { Result } from './call-tool.ts'

export const AskInput = z.object({
  question: z.string().min(1),
  options: z
    .array(z.object({ label: z.string().min(1), description: z.string().optional() }))
    .optional()
    .describe('what there is to choose from; left out, any text is an answer'),
})

/** Asks the user a question. It is not shown as a tool call. */
export async function askUser(input: unknown, turn: Turn): Promise<Result> {
  const asked = AskInput.safeParse(input)
  if (!asked.success) return { text: asked.error.message, failed: true }
  const { question, options = [] } = asked.data
  const answer = await askForm(turn, question, options)
  turn.signal.throwIfAborted()
  if (answer !== null) return { text: answer, failed: false }
  return { text: 'The person did not answer. Go on as seems best, or end your turn.', failed: true }
}
