/** Makes it when it is first asked for, once. If that fails it fails for everyone who asks, and nobody else. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
