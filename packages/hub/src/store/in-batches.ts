/** Collects items that come in the same turn of the event loop or during a flush, and flushes them together. */
export function inBatches<Item>(flush: (items: Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let items: Item[] = []
  let next: Promise<void> | null = null
  let last: Promise<void> = Promise.resolve()

  const flushAfter = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => {})
    await new Promise(setImmediate)
    const gathered = items
    items = []
    next = null
    await flush(gathered)
  }

  return (item) => {
    items.push(item)
    next ??= last = flushAfter(last)
    return next
  }
}
