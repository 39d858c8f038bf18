/** Whether another runner has taken over: then this one has nothing more to say. */
export function isFenced(error: unknown): boolean {
  const code =
    (error as { code?: unknown } | null)?.code ?? (error as { cause?: { code?: unknown } })?.cause?.code
  return code === 'runner.fenced' || code === 'producer.fenced'
}
