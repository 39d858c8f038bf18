import type { FileEntry } from '@farhand/protocol/methods/files'
import { useEffect, useState } from 'react'
import type { Content, Contents } from '../history/contents.ts'

/** Both contents of a comparison; null means no file. */
export type Sides = { before: Content | null; after: Content | null }
type Fetched = { is: 'waiting' } | { is: 'failed' } | ({ is: 'there' } & Sides)

/** Fetches the contents of two entries, again when they change or `retry` is called. */
export function useSides(
  contents: Contents,
  before: FileEntry | null,
  after: FileEntry | null,
): [Fetched, retry: () => void] {
  const [fetched, setFetched] = useState<Fetched>({ is: 'waiting' })
  const [round, setRound] = useState(0)
  const [old, now] = [before?.hash, after?.hash]
  // biome-ignore lint/correctness/useExhaustiveDependencies: contents are told apart by their hashes alone.
  useEffect(() => {
    const stop = new AbortController()
    const entries = [before, after].filter((entry) => entry !== null)
    // Keep showing the old contents while the new ones load: an agent may write many times while the user reads.
    setFetched((last) => (last.is === 'there' ? last : { is: 'waiting' }))
    const wait = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)])
    contents.shown(entries, wait).then(
      (all) => {
        const rest = [...all]
        const next = (entry: FileEntry | null) => (entry ? rest.shift()! : null)
        if (!stop.signal.aborted) setFetched({ is: 'there', before: next(before), after: next(after) })
      },
      () => stop.signal.aborted || setFetched({ is: 'failed' }),
    )
    return () => stop.abort()
  }, [contents, old, now, round])
  return [fetched, () => setRound((last) => last + 1)]
}
