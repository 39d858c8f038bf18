import { blobsNamed } from '@farhand/protocol/events/blobs-named'
import type { Notification } from '@farhand/protocol/wire/event'
import { missingRecord, PackReader, packType, writePack } from '@farhand/protocol/wire/pack'
import { type FakeBlobStore, fakeBlobStore, nameOf } from '@farhand/testkit/fake-blob-store'
import {
  json,
  type Reply,
  refuse,
  type ScriptedHub,
  type ScriptedRequest,
  scriptedHub,
} from '@farhand/testkit/scripted-hub'
import { onTestFinished } from 'vitest'

export type PackHub = {
  hub: ScriptedHub
  shelf: FakeBlobStore
  /** Every event that was stored, in order. */
  stored: Notification[]
  /** How many events and contents came in each request to write, refused ones included. */
  posts: { events: number; contents: number; headers: ScriptedRequest['headers'] }[]
  /** The hashes of each request for contents. */
  fetches: string[][]
}

/** As much of a hub as a folder needs to write and fetch, in memory; `mishap` may put another answer in the place of its own. */
export async function packHub(
  mishap: (request: ScriptedRequest, answer: Reply) => Reply = (_, answer) => answer,
): Promise<PackHub> {
  const shelf = fakeBlobStore()
  const seen = new Map<string, number[]>()
  const answer = (request: ScriptedRequest): Reply => {
    if (request.path.endsWith('/sync/blobs')) return give(request)
    return request.path.endsWith('/sync') ? store(request) : shelf.reply
  }
  const give = ({ body }: ScriptedRequest): Reply => {
    const { hashes } = JSON.parse(body.toString()) as { hashes: never[] }
    made.fetches.push(hashes)
    const records = hashes.map((hash) => {
      const bytes = shelf.blobs.get(hash)
      return bytes ? writePack([{ hash, bytes }]) : missingRecord(hash)
    })
    return (response) =>
      void response.writeHead(200, { 'content-type': packType }).end(Buffer.concat(records))
  }
  const store = ({ headers, body }: ScriptedRequest): Reply => {
    const { blobs, events } = unpack(headers['content-type'], body)
    made.posts.push({ events: events.length, contents: blobs.length, headers })
    if (blobs.some(({ hash, bytes }) => nameOf(bytes) !== hash))
      return refuse(400, 'blob.mismatch', 'fix-request')
    for (const { hash, bytes } of blobs) shelf.blobs.set(hash, Buffer.from(bytes))
    const missing = events.flatMap(blobsNamed).filter((hash) => !shelf.blobs.has(hash))
    if (missing.length > 0)
      return refuse(409, 'blob.missing', 'fix-request', { hashes: missing.slice(0, 20) })
    const key = String(headers['idempotency-key'] ?? [headers['producer-id'], headers['producer-seq']])
    const ids = seen.get(key) ?? events.map((event) => made.stored.push(event))
    seen.set(key, ids)
    return json(202, { lastEventId: ids.at(-1) ?? 0, ids })
  }
  const hub = await scriptedHub((response, request) => mishap(request, answer(request))(response, request))
  onTestFinished(() => hub.close())
  const made: PackHub = { hub, shelf, stored: [], posts: [], fetches: [] }
  return made
}

function unpack(type: string | undefined, body: Buffer) {
  const lines = (text: string): Notification[] =>
    text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
  if (type !== packType) return { blobs: [], events: lines(body.toString()) }
  const records = new PackReader({ mostBytes: 8 * 1024 * 1024 }).feed(body)
  const blobs = records.flatMap((record) => (record.kind === 'blob' ? [record] : []))
  const events = records.flatMap((record) =>
    record.kind === 'events' ? lines(Buffer.from(record.bytes).toString()) : [],
  )
  return { blobs, events }
}
