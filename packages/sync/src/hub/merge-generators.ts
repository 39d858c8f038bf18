type Source<T> = (signal: AbortSignal) => AsyncGenerator<T, void, undefined>

/** Yields what several sources yield, as it comes, from at most `width` of them at once. An early return stops them all. */
export async function* mergeGenerators<T>(
  width: number,
  sources: readonly Source<T>[],
  outer: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  type Next = { from: AsyncGenerator<T>; result: IteratorResult<T> }
  const waiting = [...sources]
  const underWay = new Map<AsyncGenerator<T>, Promise<Next>>()
  const ask = (from: AsyncGenerator<T>) => {
    underWay.set(
      from,
      from.next().then((result) => ({ from, result })),
    )
  }
  const over = new AbortController()
  const signal = AbortSignal.any([outer, over.signal])
  try {
    for (;;) {
      while (underWay.size < width && waiting.length > 0) ask(waiting.shift()!(signal))
      if (underWay.size === 0) return
      const { from, result } = await Promise.race(underWay.values())
      underWay.delete(from)
      if (result.done) continue
      ask(from)
      yield result.value
    }
  } finally {
    // A source that waits for an answer would not notice a return.
    over.abort()
    await Promise.allSettled(underWay.values())
  }
}
