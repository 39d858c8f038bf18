/** Makes a value once, at the first call. If that fails, every call fails, and nothing else does. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
