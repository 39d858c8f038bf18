import { createHash } from 'node:crypto'
import { downloadBlob } from '@farhand/client/blobs/download-blob'
import { type FetchBlobsOptions, fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import { downloadPatch } from '@farhand/client/blobs/patches'
import { type FollowState, followPortions } from '@farhand/client/follow/follow'
import { OtherLog } from '@farhand/client/follow/witness'
import type { Producer } from '@farhand/client/post/producer'
import type { Hub } from '@farhand/client/requests/hub'
import type { Online } from '@farhand/client/requests/online'
import { Refusal } from '@farhand/client/requests/refusal'
import type { Backoff } from '@farhand/kit/backoff'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { DeviceId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Connection, HubFolder } from '../engine/hub-folder.ts'
import { SyncStopped } from '../engine/sync-stopped.ts'
import { leanFetch } from '../http/lean-fetch.ts'
import { ConnectionWatch } from './connection-watch.ts'
import type { DeviceLife } from './device-life.ts'
import { InlineContents } from './inline-contents.ts'
import { deviceWriter, runnerWriter } from './log-writer.ts'
import { mergeGenerators } from './merge-generators.ts'
import { sendFiles } from './send-files.ts'

export type Role =
  | { is: 'device'; deviceId: DeviceId; life?: DeviceLife }
  /** `earlier` are the generations as which this same folder has written before. */
  | { is: 'runner'; producer: Producer; generation: number; earlier?: readonly number[] }

export type HubFolderOptions = {
  /** With the token of a user for a device, and of the runner for a runner. */
  hub: Hub
  at: RunAddress
  role: Role
  onConnection?: (state: Connection) => void
  /** Called with the paths that wait because the hub has no room for them; once each time they begin to wait. */
  onFull?: (paths: WorkspacePath[]) => void
  backoff?: Backoff
  /** Whether there is a network, where the system tells that. */
  online?: Online
}

// Users see at once whether the changes of a folder arrive: it retries more often than other clients do.
const eager: Backoff = { firstMs: 200, maxMs: 5_000 }
// A silent connection is given up soon: trying again does no harm.
const quick = { answerMs: 10_000, silenceMs: 10_000 }
const mostFetchedBytes = 4 * 1024 * 1024
const mostFetched = 512
const parallelFetches = 2

/** The run's log and blobs as seen from one folder, over any network; waits for a hub that is away as long as it takes. */
export function openHubFolder(options: HubFolderOptions): HubFolder {
  const { at, role, onConnection = () => {}, onFull = () => {}, backoff = eager, online } = options
  const hub: Hub = {
    ...options.hub,
    fetch: options.hub.fetch ?? leanFetch,
    ...(role.is === 'device' && { deviceId: role.deviceId }),
    ...(role.is === 'device' && role.life && { deviceLife: role.life.number }),
  }
  const write = role.is === 'device' ? deviceWriter(hub, at, role.life) : runnerWriter(role.producer)
  const watch = new ConnectionWatch(onConnection)
  const patient = { backoff, patienceMs: Number.POSITIVE_INFINITY, ...quick }

  /** Passes on what `read` yields, and reports trouble and its end to the connection watch. */
  async function* told<T>(
    signal: AbortSignal,
    read: (options: FetchBlobsOptions) => AsyncGenerator<T, void, undefined>,
  ): AsyncGenerator<T, void, undefined> {
    const { onTrouble, recovered } = watch.attempt()
    try {
      for await (const item of read({ ...patient, signal, onTrouble })) {
        recovered()
        yield item
      }
    } finally {
      recovered()
    }
  }

  async function* fetchSome(
    hashes: readonly BlobHash[],
    signal: AbortSignal,
  ): AsyncGenerator<{ hash: BlobHash; bytes: Uint8Array }, void, undefined> {
    // The disk's thread verifies contents right before it writes them: once is enough.
    const fetched = told(signal, (options) => fetchBlobs(hub, at, hashes, { ...options, unverified: true }))
    for await (const { hash, bytes } of fetched) if (bytes) yield { hash, bytes }
  }

  const request = (wanted: readonly { hash: BlobHash; size: number }[], signal: AbortSignal) => {
    const requests = intoRequests(wanted)
    if (requests.length === 1) return fetchSome(requests[0]!, signal)
    const sources = requests.map((hashes) => (signal: AbortSignal) => fetchSome(hashes, signal))
    return mergeGenerators(parallelFetches, sources, signal)
  }
  const inlineContents = new InlineContents()
  const onContent = (hash: BlobHash, bytes: Uint8Array) => inlineContents.put(hash, bytes)

  return {
    author: authorOf(role),
    isOurs: (by) => isOurs(role, by),
    async *follow(after, signal, witness = null) {
      const onState = (state: FollowState) => watch.reading(state)
      try {
        const network = online && { online }
        yield* followPortions(hub, at, { after, witness, signal, backoff, onState, onContent, ...network })
      } catch (error) {
        throw isOtherLog(error) ? SyncStopped.otherLog(error as Error) : error
      }
    },
    async send(what, signal) {
      const { onTrouble, recovered } = watch.attempt()
      const options = { ...patient, signal, onTrouble }
      const told = new Set<WorkspacePath>()
      const tellFull = (paths: WorkspacePath[]) => {
        // The hub has answered, even if requests failed before.
        recovered()
        const news = paths.filter((path) => !told.has(path))
        for (const path of news) told.add(path)
        if (news.length > 0) onFull(news)
      }
      try {
        return await sendFiles({ hub, at, author: role.is, write, options, onFull: tellFull }, what)
      } finally {
        recovered()
      }
    },
    async *fetch(wanted, signal) {
      const rest: (typeof wanted)[number][] = []
      for (const one of wanted) {
        const bytes = inlineContents.take(one.hash)
        if (bytes) yield { hash: one.hash, bytes }
        else rest.push(one)
      }
      if (rest.length > 0) yield* request(rest, signal)
    },
    async patch(made, signal) {
      const { onTrouble, recovered } = watch.attempt()
      try {
        return await downloadPatch(hub, at, made, { ...patient, signal, onTrouble })
      } finally {
        recovered()
      }
    },
    download: (hash, signal) =>
      told(signal, (options) =>
        downloadBlob(hub, at, hash, { ...options, newHasher: () => createHash('sha256') }),
      ),
  }
}

function authorOf(role: Role): SeenAuthor {
  return role.is === 'device'
    ? { kind: 'device', id: role.deviceId }
    : { kind: 'runner', generation: role.generation }
}

function isOurs(role: Role, by: SeenAuthor): boolean {
  if (role.is === 'device') return by.kind === 'device' && by.id === role.deviceId
  if (by.kind !== 'runner') return false
  return by.generation === role.generation || (role.earlier ?? []).includes(by.generation)
}

/** A log only grows: one that ends before what was read from it is not the one it was read from. */
const isOtherLog = (error: unknown) =>
  error instanceof OtherLog || (error instanceof Refusal && error.code === 'cursor.ahead')

function intoRequests(wanted: readonly { hash: BlobHash; size: number }[]): BlobHash[][] {
  const requests: BlobHash[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const { hash, size } of wanted) {
    if (bytes + size > mostFetchedBytes || requests.at(-1)?.length === mostFetched) {
      requests.push([])
      bytes = 0
    }
    requests.at(-1)!.push(hash)
    bytes += size
  }
  return requests
}
