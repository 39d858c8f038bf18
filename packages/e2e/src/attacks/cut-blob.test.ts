import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { readBlob } from '@farhand/client/blobs/download-blob'
import { hashOf } from '@farhand/client/blobs/sha256'
import { HubUnderTest, notification } from '@farhand/hub/http/hub-under-test'
import { FileUrls } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { eventsHead, PackReader, packType, writePack } from '@farhand/protocol/wire/pack'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'

type Kind = { what: string; size: number; isPacked: boolean }
const kinds: Kind[] = [
  { what: 'a packed blob', size: 3_000, isPacked: true },
  { what: 'a blob in a file of its own', size: 200_000, isPacked: false },
  { what: 'a large blob', size: 9_000_000, isPacked: false },
]

const client = (hub: HubUnderTest) => ({ url: hub.hub.url, token: hub.token })

/** A blob of this size at a hub that has been started anew since: nothing of it is in memory. */
async function stored(size: number, isPacked: boolean) {
  const first = await HubUnderTest.start()
  const at = await first.run()
  const bytes = randomBytes(size)
  const hash = (await hashOf(bytes)) as BlobHash
  if (isPacked) expect(await sendPacked(first, at, hash, bytes)).toBe(202)
  else await putAlone(first, at, hash, bytes)
  await first.hub.stop()
  const hub = await HubUnderTest.on(first.data, {}, first.token)
  const files = await readdir(join(hub.data, 'files'), { recursive: true })
  const name = files.find((file) => (isPacked ? file.endsWith('.pack') : file.endsWith(hash)))
  return { hub, at, bytes, hash, file: join(hub.data, 'files', name!) }
}

/** As a folder sends small files: together with the event that names them. */
async function sendPacked(hub: HubUnderTest, at: RunAddress, hash: BlobHash, bytes: Buffer): Promise<number> {
  const event = notification('_posthog/file_sync', { path: 'a', action: 'created', hash, was: null })
  const line = Buffer.from(JSON.stringify(event))
  const body = Buffer.concat([writePack([{ hash, bytes }]), eventsHead(line.length), line])
  const headers = { Authorization: `Bearer ${hub.token}`, 'Content-Type': packType }
  return (await fetch(new URL(paths.sync(at), hub.hub.url), { method: 'POST', headers, body })).status
}

async function addresses(hub: HubUnderTest, at: RunAddress, hash: BlobHash) {
  const { body } = await hub.ask('POST', paths.fileUrls(at), { body: { hashes: [hash] } })
  return FileUrls.parse(body)
}

async function putAlone(hub: HubUnderTest, at: RunAddress, hash: BlobHash, bytes: Buffer): Promise<number> {
  const address = (await addresses(hub, at, hash)).missing[hash]
  if (address === undefined) return 0
  return (await fetch(address, { method: 'PUT', body: new Uint8Array(bytes) })).status
}

const changeByte = async (file: string) => {
  const handle = await open(file, 'r+')
  const { size } = await handle.stat()
  const last = Buffer.alloc(1)
  await handle.read(last, 0, 1, size - 1)
  await handle.write(Buffer.from([last[0]! ^ 1]), 0, 1, size - 1)
  await handle.close()
}
const cut = async (file: string) => truncate(file, (await readFile(file)).length - 10)

/** The bytes that a reader gets, or null if it gets a fault, or never gets all of them. */
async function got(url: string): Promise<Buffer | null> {
  const answer = await fetch(url)
  if (!answer.ok) return null
  return answer.arrayBuffer().then(Buffer.from, () => null)
}

describe.each(kinds)('$what', ({ size, isPacked }) => {
  it.each([
    ['cut short', cut],
    ['changed', changeByte],
  ])('W24 that was %s on disk is not served, and storing it again heals it', async (_, harm) => {
    const { hub, at, bytes, hash, file } = await stored(size, isPacked)
    const address = (await addresses(hub, at, hash)).urls[hash]!
    await harm(file)
    expect(await got(address)).toBeNull()
    const pack = await fetch(new URL(paths.blobs(at), hub.hub.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${hub.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ hashes: [hash] }),
    })
    const reader = new PackReader({ mostBytes: 20_000_000 })
    const records = reader.feed(Buffer.from(await pack.arrayBuffer()))
    expect(records.map(({ kind }) => kind)).toEqual(['missing'])
    const asked = await addresses(hub, at, hash)
    expect([Object.keys(asked.urls), Object.keys(asked.missing)]).toEqual([[], [hash]])
    expect(await putAlone(hub, at, hash, bytes)).toBe(201)
    expect(Buffer.compare(await readBlob(client(hub), at, hash, {}), bytes)).toBe(0)
    expect((await addresses(hub, at, hash)).missing).toEqual({})
    // The next hub has the right bytes, too.
    await hub.hub.stop()
    const next = await HubUnderTest.on(hub.data, {}, hub.token)
    expect(Buffer.compare(await readBlob(client(next), at, hash, {}), bytes)).toBe(0)
  })

  it('W24 that was cut short is healed by a PUT of a client that has not asked whether it is there', async () => {
    const { hub, at, bytes, hash, file } = await stored(size, isPacked)
    await cut(file)
    const path = `${paths.run(at)}/files/${hash}`
    const answer = await fetch(new URL(path, hub.hub.url), {
      method: 'PUT',
      headers: { Authorization: `Bearer ${hub.token}` },
      body: new Uint8Array(bytes),
    })
    expect(answer.status).toBe(201)
    expect(Buffer.compare(await readBlob(client(hub), at, hash, {}), bytes)).toBe(0)
  })
})

it('W24 a packed blob that was changed on disk is healed by a pack that contains it again', async () => {
  const { hub, at, bytes, hash, file } = await stored(3_000, true)
  await changeByte(file)
  expect(await got((await addresses(hub, at, hash)).urls[hash]!)).toBeNull()
  expect(await sendPacked(hub, at, hash, bytes)).toBe(202)
  expect(Buffer.compare(await readBlob(client(hub), at, hash, {}), bytes)).toBe(0)
  await hub.hub.stop()
  const next = await HubUnderTest.on(hub.data, {}, hub.token)
  expect(Buffer.compare(await readBlob(client(next), at, hash, {}), bytes)).toBe(0)
})
