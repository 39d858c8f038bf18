import type { FileEntry } from '@farhand/protocol/methods/files'
import { useEffect, useState } from 'react'
import type { Content, Contents } from '../history/contents.ts'

/** The contents of both sides of a comparison; null where there is no file. */
export type Sides = { before: Content | null; after: Content | null }
type Fetched = { is: 'waiting' } | { is: 'failed' } | ({ is: 'there' } & Sides)

/** Fetches what two entries name, anew when they change or `retry` is called. */
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
    // What is shown stays until there is something newer: an agent may write many times while somebody reads.
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
