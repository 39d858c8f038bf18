import { setImmediate } from 'node:timers/promises'

const sliceMs = 8

/** Iterates over the items, and yields to the event loop whenever the consumer has worked for a while. */
export async function* yieldToEventLoop<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  let since = performance.now()
  for (const item of items) {
    yield item
    if (performance.now() - since < sliceMs) continue
    await setImmediate()
    since = performance.now()
  }
}
