type Fetch = (hash: string) => Promise<Uint8Array>

const mostKeptBytes = 32 * 1024 * 1024

/** Fetches like `fetch`, with a cache in memory: scrolling back and forth shows pictures at once. */
export function cachedBlobs(fetch: Fetch, mostBytes = mostKeptBytes): Fetch {
  const kept = new Map<string, Promise<Uint8Array>>()
  const sizes = new Map<string, number>()
  const forget = (hash: string) => {
    kept.delete(hash)
    sizes.delete(hash)
  }
  const total = () => [...sizes.values()].reduce((sum, size) => sum + size, 0)
  return (hash) => {
    const before = kept.get(hash)
    if (before) {
      // Move it to the end: the least recently used blob is dropped first.
      kept.delete(hash)
      kept.set(hash, before)
      return before
    }
    const fetching = fetch(hash)
    kept.set(hash, fetching)
    fetching.then(
      ({ length }) => {
        sizes.set(hash, length)
        for (const oldest of [...kept.keys()]) {
          if (total() <= mostBytes) return
          if (sizes.has(oldest)) forget(oldest)
        }
      },
      // Do not cache a failure.
      () => forget(hash),
    )
    return fetching
  }
}
