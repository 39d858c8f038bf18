import { createHash } from 'node:crypto'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { hangUp, json, type Reply, refuse } from './scripted-hub.ts'

/** The blob requests of a hub, in memory; a test can make any of them fail. */
export type FakeBlobStore = {
  blobs: Map<string, Buffer>
  /** Hashes in the order of their PUTs, refused ones included. */
  puts: string[]
  asked: string[][]
  reply: Reply
}

export const nameOf = (bytes: Uint8Array): BlobHash =>
  BlobHash.parse(`sha256_${createHash('sha256').update(bytes).digest('hex')}`)

/** `mishap` may answer a request instead of the store. */
export function fakeBlobStore(
  mishap: (request: Parameters<Reply>[1]) => Reply | undefined = () => undefined,
): FakeBlobStore {
  const store: FakeBlobStore = {
    blobs: new Map(),
    puts: [],
    asked: [],
    reply(response, request) {
      const answer = mishap(request) ?? answerTo(store, request)
      return answer(response, request)
    },
  }
  return store
}

function answerTo(store: FakeBlobStore, { method, path, query, body }: Parameters<Reply>[1]): Reply {
  const { blobs } = store
  const name = path.split('/').at(-1) ?? ''
  if (name === 'file-urls') {
    const { hashes } = JSON.parse(body.toString()) as { hashes: string[] }
    store.asked.push(hashes)
    const where = (there: boolean) =>
      Object.fromEntries(
        hashes
          .filter((hash) => blobs.has(hash) === there)
          .map((hash) => [hash, `/files/${hash}?until=later`]),
      )
    return json(200, { urls: where(true), missing: where(false) })
  }
  if (name === 'file-url') {
    const hash = query.get('hash') ?? ''
    store.asked.push([hash])
    return blobs.has(hash)
      ? json(200, { url: `/files/${hash}?until=later` })
      : refuse(404, 'blob.unknown', 'give-up')
  }
  if (method === 'PUT') {
    store.puts.push(name)
    if (nameOf(body) !== name) return refuse(400, 'blob.mismatch', 'fix-request')
    blobs.set(name, body)
    return json(201, { hash: name, size: body.length })
  }
  return serve(blobs.get(name))
}

function serve(bytes: Buffer | undefined): Reply {
  if (!bytes) return hangUp
  return (response, { headers }) => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    if (start > 0) response.setHeader('content-range', `bytes ${start}-${bytes.length - 1}/${bytes.length}`)
    response
      .writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start })
      .end(bytes.subarray(start))
  }
}
