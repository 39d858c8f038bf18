import { z } from 'zod'
import type { Turn } from '../acp-program.ts'
import type { Result } from './call-tool.ts'

export const AskInput = z.object({
  question: z.string().min(1),
  options: z
    .array(z.object({ label: z.string().min(1), description: z.string().optional() }))
    .optional()
    .describe('what there is to choose from; left out, any text is an answer'),
})

/** Puts a question to the person. No tool call is shown for it: a question is something of its own. */
export async function askUser(input: unknown, { client, sessionId, signal }: Turn): Promise<Result> {
  const asked = AskInput.safeParse(input)
  if (!asked.success) return { text: asked.error.message, failed: true }
  const { question, options = [] } = asked.data
  const oneOf = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description && { description }),
  }))
  const answer = { type: 'string' as const, title: question, ...(oneOf.length > 0 && { oneOf }) }
  const reply = await client.request(
    'elicitation/create',
    {
      mode: 'form',
      sessionId,
      message: question,
      requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
    },
    // Without it a cancelled turn would wait for a person who has already left.
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  signal.throwIfAborted()
  const content = reply.action === 'accept' ? (reply.content as Record<string, unknown> | null) : null
  if (content?.answer !== undefined) return { text: String(content.answer), failed: false }
  return { text: 'The person did not answer. Go on as seems best, or end your turn.', failed: true }
}
