import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf } from '@farhand/client/resources/resources'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { useCallback, useMemo } from 'react'
import type { FilesSource } from '../files/history/files-source.ts'
import type { LiveRun } from '../live/live-run.ts'
import { useLive } from '../live/use-live.ts'

type About = Parameters<typeof addressOf>[0]

/** What the parts of a run page load from the hub: all of it is stable until the run or its address changes. */
export function useRunSources(live: LiveRun, about: About | null) {
  const { hub } = useLive()
  const place = about && JSON.stringify(addressOf(about))
  /** Null until the address of the run is known. */
  const source = useMemo(
    (): FilesSource | null =>
      place ? { hub, at: JSON.parse(place), listen: (take) => live.listen(take) } : null,
    [hub, live, place],
  )
  const fetchBlob = useMemo(
    () =>
      cachedBlobs((hash) =>
        source
          ? fetchRunBlob(hub, source.at, hash)
          : Promise.reject(new Error('the address of this run is not known yet')),
      ),
    [hub, source],
  )
  const paths = useCallback(() => workspacePaths(live), [live])
  return { source, fetchBlob, paths }
}

/** Fetches a blob of the run. Rejects with a message for the user. */
async function fetchRunBlob(hub: Hub, at: RunAddress, hash: string): Promise<Uint8Array> {
  // An http:// page in the local network has no `crypto.subtle`.
  const unverified = globalThis.crypto?.subtle === undefined
  const wanted = new Set([hash as BlobHash])
  const found = fetchBlobs(hub, at, wanted, unverified ? { unverified: true } : {})
  for await (const { bytes } of found) if (bytes) return bytes
  throw new Error('the hub no longer has it')
}

/** The paths of all files in the workspace, sorted. The code for it is loaded on first use. */
async function workspacePaths(live: LiveRun): Promise<readonly string[]> {
  const { WorkspaceTree } = await import('@farhand/protocol/files/workspace-tree')
  const tree = new WorkspaceTree()
  // `listen` gives the known events at once; later events are not needed.
  const stop = live.listen((events) => {
    for (const event of events) tree.apply(event)
  })
  stop()
  return [...tree.paths()].sort()
}

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
