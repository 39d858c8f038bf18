import { createHash, randomBytes } from 'node:crypto'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import { patchType, writePatch } from '@farhand/protocol/wire/patch'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { HubUnderTest } from '../hub-under-test.ts'

const nameOf = (bytes: Uint8Array) => `sha256_${createHash('sha256').update(bytes).digest('hex')}` as BlobHash

const base = randomBytes(500_000)
const after = Buffer.concat([base, Buffer.from('more')])
const patch = writePatch({ base: nameOf(base), parts: [{ start: 0, end: base.length }, Buffer.from('more')] })

async function withBase(options: Parameters<typeof HubUnderTest.start>[0] = {}) {
  const hub = await HubUnderTest.start(options)
  const at = await hub.run()
  await store(hub, at, base)
  return { hub, at }
}

async function store(hub: HubUnderTest, at: RunAddress, whole: Uint8Array) {
  const hash = nameOf(whole)
  const { missing } = (await hub.ask('POST', paths.fileUrls(at), { body: { hashes: [hash] } }))
    .body as unknown as { missing: Record<string, string> }
  const { status } = await fetch(missing[hash]!, { method: 'PUT', body: new Uint8Array(whole) })
  expect(status).toBe(201)
}

async function put(
  hub: HubUnderTest,
  at: RunAddress,
  { hash = nameOf(after), body = patch, type = patchType, token = hub.token } = {},
) {
  const answer = await fetch(new URL(`${paths.patch(at)}?hash=${hash}`, hub.hub.url), {
    method: 'PUT',
    headers: { 'Content-Type': type, Authorization: `Bearer ${token}` },
    body: new Uint8Array(body),
  })
  return { status: answer.status, body: (await answer.json()) as unknown }
}

async function get(hub: HubUnderTest, at: RunAddress, hash: BlobHash, from: BlobHash, token = hub.token) {
  const url = new URL(`${paths.patch(at)}?hash=${hash}&base=${from}`, hub.hub.url)
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } })

describe('patches', () => {
  it('W35 a blob is uploaded and downloaded as a patch, and is stored whole', async () => {
    const { hub, at } = await withBase()
    const stored = { status: 201, body: { hash: nameOf(after), size: after.length } }
    expect(await put(hub, at)).toEqual(stored)
    expect(await put(hub, at)).toEqual(stored)
    const { url } = (await hub.ask('GET', `${paths.fileUrl(at)}?hash=${nameOf(after)}`)).body
    expect(Buffer.from(await (await fetch(url!)).arrayBuffer()).equals(after)).toBe(true)
    const { token } = await hub.runner(at)
    for (const who of [hub.token, token]) {
      const down = await get(hub, at, nameOf(after), nameOf(base), who)
      expect(down).toMatchObject({ status: 200, type: patchType })
      expect(down.bytes.equals(patch)).toBe(true)
    }
    expect(await get(hub, at, nameOf(base), nameOf(after))).toMatchObject({ status: 404 })
    expect(await get(hub, at, nameOf(after), nameOf(after))).toMatchObject({ status: 404 })
  })

  it('W24 W35 one project cannot patch a blob of another one, and learns nothing of it', async () => {
    const { hub, at } = await withBase()
    await put(hub, at)
    const other = await hub.run()
    expect(await put(hub, other)).toMatchObject(refusal(404, 'blob.unknown'))
    expect(await get(hub, other, nameOf(after), nameOf(base))).toMatchObject({ status: 404 })
    // That it has the same blob does not tell it of what another one has made that.
    await store(hub, other, after)
    expect(await get(hub, other, nameOf(after), nameOf(base))).toMatchObject({ status: 404 })
    await store(hub, other, base)
    expect(await get(hub, other, nameOf(after), nameOf(base))).toMatchObject({ status: 200 })
  })

  it('W35 a patch whose result does not hash to its name is refused, and leaves nothing behind', async () => {
    const { hub, at } = await withBase()
    const hash = nameOf(Buffer.from('other'))
    expect(await put(hub, at, { hash })).toMatchObject(refusal(400, 'blob.mismatch'))
    expect((await hub.ask('GET', `${paths.fileUrl(at)}?hash=${hash}`)).status).toBe(404)
    const torn = patch.subarray(0, -1)
    expect(await put(hub, at, { body: torn })).toMatchObject(refusal(400, 'request.malformed'))
    expect(await put(hub, at, { type: 'text/plain' })).toMatchObject(refusal(415, 'request.unsupported-type'))
    const nameless = { hash: 'sha256_x' as BlobHash }
    expect(await put(hub, at, nameless)).toMatchObject(refusal(400, 'request.malformed'))
  })

  it('W35 neither a patch nor its result may be larger than the hub takes', async () => {
    const { hub, at } = await withBase({ maxBlobBytes: 600_000 })
    const whole = { start: 0, end: base.length }
    const twice = writePatch({ base: nameOf(base), parts: [whole, whole] })
    expect(await put(hub, at, { body: twice })).toMatchObject(refusal(413, 'request.too-large'))
    const large = writePatch({ base: nameOf(base), parts: [Buffer.alloc(limits.requestBytes)] })
    expect(await put(hub, at, { body: large })).toMatchObject(refusal(413, 'request.too-large'))
  })

  it('W35 a small patch that is expensive to apply is refused: empty parts, too many parts, copies of copies', async () => {
    const { hub, at } = await withBase()
    const stretches = (count: number, length: number) =>
      Array.from({ length: count }, () => ({ start: 0, end: length }))
    for (const parts of [
      stretches(1, 0),
      stretches(limits.partsPerPatch + 1, 1),
      stretches(2, base.length),
    ]) {
      const body = writePatch({ base: nameOf(base), parts })
      expect(await put(hub, at, { body })).toMatchObject(refusal(400, 'request.malformed'))
    }
  })

  it('W8 the runner of an older generation brings and gets none', async () => {
    const { hub, at } = await withBase()
    const { token } = await hub.runner(at)
    await hub.runner(at)
    expect(await put(hub, at, { token })).toMatchObject(refusal(403, 'runner.fenced'))
    expect(await get(hub, at, nameOf(after), nameOf(base), token)).toMatchObject({ status: 403 })
  })
})
