import { setImmediate } from 'node:timers/promises'

const sliceMs = 8

/** The same items, with a moment for everybody else whenever whoever takes them has worked for a while. */
export async function* yieldToEventLoop<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  let since = performance.now()
  for (const item of items) {
    yield item
    if (performance.now() - since < sliceMs) continue
    await setImmediate()
    since = performance.now()
  }
}
