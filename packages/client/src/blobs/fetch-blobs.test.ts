import { createHash } from 'node:crypto'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { missingRecord, packType, writePack } from '@farhand/protocol/wire/pack'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import { hangUp, type Reply, refuse, type ScriptedRequest, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { type FetchBlobsOptions, type FetchedBlob, fetchBlobs } from './fetch-blobs.ts'

const fast: FetchBlobsOptions = { backoff: { firstMs: 2, maxMs: 8 } }
const blob = (text: string) => ({ hash: nameOf(Buffer.from(text)), bytes: Buffer.from(text) })
const [one, two, three] = [blob('one'), blob('two'), blob('three'.repeat(50_000))]
const hashes = [one.hash, two.hash, three.hash]

const asked = ({ body }: ScriptedRequest): BlobHash[] => JSON.parse(body.toString()).hashes
const pack =
  (...parts: Uint8Array[]): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': packType }).end(Buffer.concat(parts))

/** As much of a pack, and then, when something has happened, the line is dead. */
const cutAfter =
  (bytes: number, whole: Uint8Array, happened: Promise<void>): Reply =>
  async (response) => {
    response.writeHead(200, { 'content-type': packType })
    response.write(whole.subarray(0, bytes))
    await happened
    response.destroy()
  }

const text = (fetched: FetchedBlob) => (fetched.bytes ? Buffer.from(fetched.bytes).toString() : fetched.why)

async function all(
  url: string,
  wanted: BlobHash[],
  options: FetchBlobsOptions & { onText?: (text: string) => void } = fast,
): Promise<string[]> {
  const texts: string[] = []
  for await (const fetched of fetchBlobs({ url, token: 't' }, someRun, wanted, options)) {
    texts.push(text(fetched))
    options.onText?.(text(fetched))
  }
  return texts
}

describe('fetchBlobs', () => {
  it.each([
    ['with what every platform has', fast],
    ['with the hasher it is given', { ...fast, newHasher: () => createHash('sha256') }],
  ])('W32 brings many blobs in one request, verified %s', async (_, options) => {
    const hub = await hubThat(pack(writePack([one, two, three])))
    expect(await all(hub.url, hashes, options)).toEqual(['one', 'two', three.bytes.toString()])
    expect(hub.requests).toHaveLength(1)
    expect(hub.requests[0]).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer t', 'session-id': someRun.run },
    })
    expect(asked(hub.requests[0]!)).toEqual(hashes)
  })

  it('requests nothing when nothing is wanted, and each hash once, no matter how often it is named', async () => {
    const hub = await hubThat(pack(writePack([one])))
    expect(await all(hub.url, [])).toEqual([])
    expect(await all(hub.url, [one.hash, one.hash])).toEqual(['one'])
    expect(asked(hub.requests[0]!)).toEqual([one.hash])
  })

  it('W32 says which blobs the project does not have, and fetches the rest', async () => {
    const hub = await hubThat(pack(writePack([one]), missingRecord(two.hash), writePack([three])))
    expect(await all(hub.url, hashes)).toEqual(['one', 'missing', three.bytes.toString()])
  })

  it('W24 gives no bytes that do not hash to the name', async () => {
    const hub = await hubThat(pack(writePack([{ hash: one.hash, bytes: two.bytes }, two])))
    expect(await all(hub.url, [one.hash, two.hash])).toEqual(['damaged', 'two'])
  })

  it('requests only the blobs that a broken connection did not deliver', async () => {
    const whole = writePack([one, two, three])
    let cut = () => {}
    const whenCut = new Promise<void>((resolve) => {
      cut = resolve
    })
    const onText = (text: string) => text === 'two' && cut()
    const hub = await hubThat(
      cutAfter(whole.length - 1, whole, whenCut),
      hangUp,
      refuse(503, 'hub.stopping', 'retry'),
      pack(writePack([three])),
    )
    expect(await all(hub.url, hashes, { ...fast, onText })).toEqual(['one', 'two', three.bytes.toString()])
    expect(hub.requests.map(asked)).toEqual([hashes, [three.hash], [three.hash], [three.hash]])
  })

  it.each([
    ['ends too early', pack(writePack([one]))],
    ['ends within a record', pack(writePack([one, two]).subarray(0, -1))],
    ['is no pack', ((response) => void response.end('<h1>Please sign in</h1>')) as Reply],
    ['holds a blob that was not requested', pack(writePack([one, three]))],
  ])('asks again for the rest when an answer %s', async (_, trouble) => {
    const hub = await hubThat(trouble, (response, request) =>
      pack(writePack([one, two].filter(({ hash }) => asked(request).includes(hash))))(response, request),
    )
    expect(await all(hub.url, [one.hash, two.hash])).toEqual(['one', 'two'])
    expect(hub.requests).toHaveLength(2)
  })

  it('W32 asks for at most 1,000 at once', async () => {
    const many = Array.from({ length: 1500 }, (_, n) => blob(`number ${n}`))
    const shelf = new Map(many.map((blob) => [blob.hash, blob]))
    const hub = await hubThat((response, request) =>
      pack(writePack(asked(request).map((hash) => shelf.get(hash)!)))(response, request),
    )
    const texts = await all(
      hub.url,
      many.map(({ hash }) => hash),
    )
    expect(texts).toEqual(many.map(({ bytes }) => bytes.toString()))
    expect(hub.requests.map((request) => asked(request).length)).toEqual([1000, 500])
  })

  it('passes on the blobs that have arrived before the rest', async () => {
    let finish = () => {}
    const hub = await hubThat((response) => {
      response.writeHead(200, { 'content-type': packType })
      response.write(writePack([one]))
      finish = () => response.end(writePack([two]))
    })
    const fetching = fetchBlobs({ url: hub.url }, someRun, [one.hash, two.hash], fast)
    expect((await fetching.next()).value).toMatchObject({ hash: one.hash })
    finish()
    expect((await fetching.next()).value).toMatchObject({ hash: two.hash })
    expect((await fetching.next()).done).toBe(true)
  })

  it('throws a refusal, and the reason of its signal', async () => {
    const hub = await hubThat(refuse(403, 'runner.fenced', 'give-up', { current: 3 }), () => {})
    await expect(all(hub.url, hashes)).rejects.toMatchObject({ code: 'runner.fenced' })
    const controller = new AbortController()
    const fetching = all(hub.url, hashes, { signal: controller.signal })
    await hub.request(2)
    controller.abort(new Error('not now'))
    await expect(fetching).rejects.toThrow('not now')
  })
})
