/**
 * Does the work for every item, at most `limit` at a time. The first failure aborts the rest and is thrown once all
 * of them have ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  limit: number,
  outer: AbortSignal | undefined,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  outer?.throwIfAborted()
  const controller = new AbortController()
  const onOuterAbort = () => controller.abort(outer?.reason)
  outer?.addEventListener('abort', onOuterAbort, { once: true })
  const waiting = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = waiting.next(); !next.done && !controller.signal.aborted; next = waiting.next()) {
      await work(next.value, controller.signal)
    }
  }
  const stopAll = (error: unknown) => controller.abort(error)
  try {
    await Promise.all(Array.from({ length: limit }, () => worker().catch(stopAll)))
  } finally {
    outer?.removeEventListener('abort', onOuterAbort)
  }
  controller.signal.throwIfAborted()
}
