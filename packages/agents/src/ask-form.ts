import type { Turn } from './acp-program.ts'

export type FormOption = { label: string; description?: string | undefined }

/** Without it, a cancelled turn would wait for a user who will not answer. */
export const untilCancelled = ({ signal }: Pick<Turn, 'signal'>) => ({
  cancellationSignal: signal,
  stopWaitingOnCancel: true,
})

/** The user's answer to a form with one field, as text; null if they declined. The host has to support forms. */
export async function askForm(
  { client, sessionId, signal }: Turn,
  question: string,
  options: readonly FormOption[],
  fallback: string | null = null,
): Promise<string | null> {
  const oneOf = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description && { description }),
  }))
  const answer = {
    type: 'string' as const,
    title: question,
    ...(oneOf.length > 0 && { oneOf }),
    ...(fallback !== null && { default: fallback }),
  }
  const reply = await client.request(
    'elicitation/create',
    {
      mode: 'form',
      sessionId,
      message: question,
      requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
    },
    untilCancelled({ signal }),
  )
  const content = reply.action === 'accept' ? (reply.content as Record<string, unknown> | null) : null
  return content?.answer === undefined ? null : String(content.answer)
}
