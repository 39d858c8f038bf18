import { fakeBlobStore, nameOf } from '@farhand/testkit/fake-blob-store'
import {
  hangUp,
  type Reply,
  refuse,
  type ScriptedRequest,
  scriptedHub,
  someRun,
} from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it } from 'vitest'
import { isPassing } from '../requests/refusal.ts'
import { type BlobSource, uploadBlobs } from './upload-blobs.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 } }
const source = (text: string): BlobSource => {
  const bytes = new TextEncoder().encode(text)
  return { hash: nameOf(bytes), size: bytes.length, open: () => bytes }
}

let close: () => Promise<void> = async () => {}
afterEach(() => close())

async function shelfThat(mishap?: (request: ScriptedRequest) => Reply | undefined) {
  const shelf = fakeBlobStore(mishap)
  const hub = await scriptedHub(shelf.reply)
  close = hub.close
  return { shelf, hub, at: { url: hub.url, token: 'secret' } }
}

/** The reply to the first PUT of each blob only. */
function firstPut(reply: Reply) {
  const seen = new Set<string>()
  return (request: ScriptedRequest) => {
    if (request.method !== 'PUT' || seen.has(request.path)) return undefined
    seen.add(request.path)
    return reply
  }
}

describe('uploadBlobs', () => {
  it('W24 sends what the hub does not have, each blob once, and opens nothing else', async () => {
    const { shelf, at } = await shelfThat()
    const there = source('there')
    shelf.blobs.set(there.hash, Buffer.from('there'))
    const unopened = { ...there, open: () => Promise.reject(new Error('opened for nothing')) }
    const result = await uploadBlobs(at, someRun, [source('a'), unopened, source('b'), source('a')])
    expect(shelf.puts.sort()).toEqual([source('a').hash, source('b').hash].sort())
    expect(result.uploaded.sort()).toEqual(shelf.puts)
    expect(result.refused).toEqual([])
    expect(shelf.blobs.get(source('a').hash)?.toString()).toBe('a')
  })

  it('W24 asks about a thousand at a time', async () => {
    const { shelf, at } = await shelfThat()
    const sources = Array.from({ length: 2100 }, (_, n) => source(`blob ${n}`))
    for (const { hash } of sources) shelf.blobs.set(hash, Buffer.alloc(0))
    await uploadBlobs(at, someRun, sources)
    expect(shelf.asked.map((hashes) => hashes.length)).toEqual([1000, 1000, 100])
    expect(shelf.puts).toEqual([])
  })

  it('sends only the rest when it is called again after a crash', async () => {
    let left = 5
    const { shelf, at } = await shelfThat((request) =>
      request.method === 'PUT' && left-- <= 0 ? refuse(404, 'run.unknown', 'give-up') : undefined,
    )
    const sources = Array.from({ length: 12 }, (_, n) => source(`blob ${n}`))
    expect((await uploadBlobs(at, someRun, sources, { concurrency: 1 })).uploaded).toHaveLength(5)
    left = 100
    shelf.puts.length = 0
    expect((await uploadBlobs(at, someRun, sources)).uploaded).toHaveLength(7)
    expect(shelf.puts).toHaveLength(7)
  })

  it.each([
    ['a broken connection', hangUp],
    ['trouble at the hub', refuse(503, 'storage.full', 'retry')],
  ])('sends a blob again after %s', async (_, reply) => {
    const { shelf, at } = await shelfThat(firstPut(reply))
    expect((await uploadBlobs(at, someRun, [source('a'), source('b')], fast)).uploaded).toHaveLength(2)
    expect([...shelf.blobs.keys()].sort()).toEqual([source('a').hash, source('b').hash].sort())
  })

  it('W24 asks for a new address when the old one is refused', async () => {
    const { shelf, at } = await shelfThat(firstPut(refuse(403, 'blob.url-refused', 'retry')))
    expect((await uploadBlobs(at, someRun, [source('a')], fast)).uploaded).toHaveLength(1)
    expect(shelf.asked).toHaveLength(2)
  })

  it('stops asking for addresses that are all refused', async () => {
    const { shelf, at } = await shelfThat(({ method }) =>
      method === 'PUT' ? refuse(403, 'blob.url-refused', 'retry') : undefined,
    )
    const { refused } = await uploadBlobs(at, someRun, [source('a')], fast)
    expect(refused).toMatchObject([{ hash: source('a').hash, why: { code: 'blob.url-refused' } }])
    expect(shelf.asked.length).toBeLessThan(6)
  })

  it('W24 says which blobs do not hash to their names, and sends the others', async () => {
    const { shelf, at } = await shelfThat()
    const changed = { ...source('before'), open: () => new TextEncoder().encode('after!') }
    const vanished = { ...source('gone'), open: () => Promise.reject(new Error('no such file')) }
    const { uploaded, refused } = await uploadBlobs(at, someRun, [changed, source('b'), vanished])
    expect(uploaded).toEqual([source('b').hash])
    expect(refused).toMatchObject([
      { hash: vanished.hash, why: { message: 'no such file' } },
      { hash: changed.hash, why: { code: 'blob.mismatch' } },
    ])
    expect([...shelf.blobs.keys()]).toEqual([source('b').hash])
  })

  it.each([
    ['the network is gone', hangUp],
    ['the disk of the hub is full', refuse(503, 'storage.full', 'retry')],
    ['a proxy stands in the way', ((response) => void response.writeHead(404).end('<h1>?</h1>')) as Reply],
  ])('does not call a blob refused because %s: it throws, and tries no other', async (_, reply) => {
    const { shelf, at } = await shelfThat(({ method }) => (method === 'PUT' ? reply : undefined))
    const options = { ...fast, patienceMs: 20, concurrency: 1 }
    const opened: string[] = []
    const sources = ['a', 'b'].map((text) => ({
      ...source(text),
      open: () => {
        opened.push(text)
        return Buffer.from(text)
      },
    }))
    await expect(uploadBlobs(at, someRun, sources, options)).rejects.toSatisfy(isPassing)
    expect(new Set(opened)).toEqual(new Set(['a']))
    expect(shelf.asked).toHaveLength(1)
  })

  it('W24 asks for a new address when another server refuses the old one in its own words', async () => {
    const expired: Reply = (response) =>
      void response.writeHead(403).end('<Error>Request has expired</Error>')
    const { shelf, at } = await shelfThat(firstPut(expired))
    expect((await uploadBlobs(at, someRun, [source('a')], fast)).uploaded).toHaveLength(1)
    expect(shelf.asked).toHaveLength(2)
    expect(shelf.puts).toHaveLength(1)
  })

  it('gives a slow connection that is shared by many the time it needs', async () => {
    const slow: Reply = async (response, request) => {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return fakeBlobStore().reply(response, request)
    }
    const { hub, at } = await shelfThat(({ method }) => (method === 'PUT' ? slow : undefined))
    // Each by itself had 0.8 s; as many at once have 20 s.
    const many = Array.from({ length: 32 }, (_, n) => source(`${n}`.padEnd(10_000, '.')))
    await uploadBlobs(at, someRun, many, { ...fast, answerMs: 200, concurrency: 32 })
    expect(hub.requests.filter(({ method }) => method === 'PUT')).toHaveLength(32)
  })

  it('does not send its token to the server that gets the bytes', async () => {
    const { hub, at } = await shelfThat()
    await uploadBlobs(at, someRun, [source('a')])
    const put = hub.requests.find(({ method }) => method === 'PUT')
    expect(put?.query.get('until')).toBe('later')
    expect(put?.headers.authorization).toBeUndefined()
  })

  it('sends several at a time, but no more than it is told', async () => {
    let under = 0
    let most = 0
    const waiting: (() => void)[] = []
    const { at } = await shelfThat(({ method, path, body }) => {
      if (method !== 'PUT') return undefined
      return async (response, request) => {
        most = Math.max(most, ++under)
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          if (waiting.length === 3) for (const go of waiting.splice(0)) go()
        })
        under--
        return fakeBlobStore().reply(response, { ...request, path, body })
      }
    })
    await uploadBlobs(
      at,
      someRun,
      Array.from({ length: 9 }, (_, n) => source(`${n}`)),
      { concurrency: 3 },
    )
    expect(most).toBe(3)
  })

  it('takes a Blob, as a page or a file gives one', async () => {
    const { shelf, at } = await shelfThat()
    const { hash } = source('from a file')
    await uploadBlobs(at, someRun, [{ hash, size: 11, open: () => new Blob(['from a file']) }])
    expect(shelf.blobs.get(hash)?.toString()).toBe('from a file')
  })

  it('stops with the reason of its signal', async () => {
    const { hub, at } = await shelfThat(({ method }) => (method === 'PUT' ? () => {} : undefined))
    const controller = new AbortController()
    const sending = uploadBlobs(at, someRun, [source('a'), source('b')], { signal: controller.signal })
    await hub.request(2)
    controller.abort(new Error('laptop closed'))
    await expect(sending).rejects.toThrow('laptop closed')
  })
})
