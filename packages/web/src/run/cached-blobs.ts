type Fetch = (hash: string) => Promise<Uint8Array>

const mostKeptBytes = 32 * 1024 * 1024

/** Fetches as `fetch` does, but not again what was just there: who scrollable back and forth sees pictures at once. */
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
      // What was asked for last is forgotten last.
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
      // It may be there another time.
      () => forget(hash),
    )
    return fetching
  }
}
