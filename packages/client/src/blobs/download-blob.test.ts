import { createHash, randomBytes } from 'node:crypto'
import { fakeBlobStore, nameOf } from '@farhand/testkit/fake-blob-store'
import { type Reply, refuse, type ScriptedRequest, scriptedHub, someRun } from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it } from 'vitest'
import { downloadBlob, readBlob } from './download-blob.ts'
import { hashOf } from './sha256.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 } }
const bytes = randomBytes(300_000)
const hash = nameOf(bytes)

let close: () => Promise<void> = async () => {}
afterEach(() => close())

async function shelfThat(mishap?: (request: ScriptedRequest) => Reply | undefined) {
  const shelf = fakeBlobStore(mishap)
  shelf.blobs.set(hash, bytes)
  const hub = await scriptedHub(shelf.reply)
  close = hub.close
  return { shelf, hub, at: { url: hub.url, token: 'secret' } }
}

const gets = (requests: ScriptedRequest[]) => requests.filter(({ path }) => path.startsWith('/files/'))

/** The nth download, from 1, goes as the reply says. */
function nthGet(...replies: (Reply | undefined)[]) {
  let nth = 0
  return ({ path }: ScriptedRequest) => (path.startsWith('/files/') ? replies[nth++] : undefined)
}

/** Sends a part and then breaks. */
const part =
  (from: number, to: number, when?: Promise<void>): Reply =>
  async (response) => {
    const total = bytes.length
    if (from > 0) response.setHeader('content-range', `bytes ${from}-${total - 1}/${total}`)
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': total - from })
    await new Promise((resolve) => response.write(bytes.subarray(from, to), resolve))
    await when
    response.destroy()
  }

describe('downloadBlob', () => {
  it('W24 gives the bytes that the hash names', async () => {
    const { hub, at } = await shelfThat()
    expect(Buffer.from(await readBlob(at, someRun, hash)).equals(bytes)).toBe(true)
    expect(gets(hub.requests)[0]?.headers.authorization).toBeUndefined()
  })

  it('continues where the connection broke', async () => {
    let cut = () => {}
    const whenCut = new Promise<void>((resolve) => {
      cut = resolve
    })
    const { hub, at } = await shelfThat(nthGet(part(0, 100_000, whenCut)))
    const pieces: Uint8Array[] = []
    for await (const piece of downloadBlob(at, someRun, hash, fast)) {
      pieces.push(piece)
      if (Buffer.concat(pieces).length === 100_000) cut()
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(gets(hub.requests).map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=100000-'])
  })

  it('does not take bytes twice from a server that cannot continue', async () => {
    const whole: Reply = (response) => void response.end(bytes)
    const { at } = await shelfThat(nthGet(part(0, 100_000), whole))
    expect(Buffer.from(await readBlob(at, someRun, hash, fast)).equals(bytes)).toBe(true)
  })

  it('asks for another connection when the bytes stop coming', async () => {
    const stalled: Reply = (response) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 1000))
    }
    const { hub, at } = await shelfThat(nthGet(stalled))
    expect(Buffer.from(await readBlob(at, someRun, hash, { ...fast, silenceMs: 200 })).equals(bytes)).toBe(
      true,
    )
    expect(gets(hub.requests).length).toBeGreaterThan(1)
  })

  it('asks for a new address when the old one is refused, also in the middle', async () => {
    const refused = refuse(403, 'blob.url-refused', 'retry')
    const { shelf, at } = await shelfThat(nthGet(refused, part(0, 50_000), refused))
    expect(Buffer.from(await readBlob(at, someRun, hash, fast)).equals(bytes)).toBe(true)
    expect(shelf.asked).toHaveLength(3)
  })

  it('gives up on addresses that are all refused', async () => {
    const { at } = await shelfThat(({ path }) =>
      path.startsWith('/files/') ? refuse(403, 'blob.url-refused', 'retry') : undefined,
    )
    await expect(readBlob(at, someRun, hash, fast)).rejects.toMatchObject({ code: 'blob.url-refused' })
  })

  it('throws when the bytes are not those that the hash names', async () => {
    const wrong = Buffer.from(bytes)
    wrong[5]! ^= 1
    const { at } = await shelfThat(nthGet((response) => void response.end(wrong)))
    await expect(readBlob(at, someRun, hash)).rejects.toMatchObject({ code: 'blob.mismatch' })
  })

  it('says that a blob is not there, and does not ask again', async () => {
    const { hub, at } = await shelfThat()
    await expect(readBlob(at, someRun, nameOf(Buffer.from('nobody has this')))).rejects.toMatchObject({
      code: 'blob.unknown',
    })
    expect(hub.requests).toHaveLength(1)
  })

  it('hashes piece by piece with a hasher of the platform', async () => {
    const { at } = await shelfThat()
    let pieces = 0
    const newHasher = () => {
      const hasher = createHash('sha256')
      return {
        update: (piece: Uint8Array) => {
          pieces++
          return hasher.update(piece)
        },
        digest: () => hasher.digest('hex'),
      }
    }
    let size = 0
    for await (const piece of downloadBlob(at, someRun, hash, { newHasher })) size += piece.length
    expect(size).toBe(bytes.length)
    expect(pieces).toBeGreaterThan(0)
    for await (const _ of downloadBlob(at, someRun, hash, { newHasher: () => createHash('sha256') }));
  })

  it('reads a blob without bytes', async () => {
    const { shelf, at } = await shelfThat()
    const empty = nameOf(Buffer.alloc(0))
    shelf.blobs.set(empty, Buffer.alloc(0))
    expect(await readBlob(at, someRun, empty)).toHaveLength(0)
  })

  it('names bytes as the hub does', async () => {
    expect(await hashOf(bytes)).toBe(hash)
  })

  it('stops with the reason of its signal', async () => {
    const { at } = await shelfThat(nthGet((response) => void response.writeHead(200).write('x')))
    const controller = new AbortController()
    const reading = async () => {
      for await (const _ of downloadBlob(at, someRun, hash, { signal: controller.signal })) {
        controller.abort(new Error('never mind'))
      }
    }
    await expect(reading()).rejects.toThrow('never mind')
  })
})
