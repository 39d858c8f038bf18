import { createHash, randomBytes } from 'node:crypto'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSqliteStore } from '../../store/sqlite-store.ts'
import { HubUnderTest, notification } from '../hub-under-test.ts'

const nameOf = (bytes: Buffer) => `sha256_${createHash('sha256').update(bytes).digest('hex')}` as BlobHash

type Urls = { urls: Record<string, string>; missing: Record<string, string> }

const urls = async (hub: HubUnderTest, at: RunAddress, ...hashes: string[]) =>
  (await hub.ask('POST', paths.fileUrls(at), { body: { hashes } })).body as unknown as Urls

async function upload(hub: HubUnderTest, at: RunAddress, bytes: Buffer): Promise<BlobHash> {
  const hash = nameOf(bytes)
  const { missing } = await urls(hub, at, hash)
  expect((await fetch(missing[hash]!, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(201)
  return hash
}

describe('files', () => {
  it('W24 bytes go up and come down on signed addresses, whole or from a byte on', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const bytes = randomBytes(300_000)
    const hash = await upload(hub, at, bytes)
    const { url } = (await hub.ask('GET', `${paths.fileUrl(at)}?hash=${hash}`)).body
    const down = await fetch(url!)
    expect(Buffer.from(await down.arrayBuffer()).equals(bytes)).toBe(true)
    expect(down.headers.get('content-disposition')).toBe('attachment')
    const rest = await fetch(url!, { headers: { Range: 'bytes=299990-' } })
    expect(rest.status).toBe(206)
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(299_990))).toBe(true)
    const beyond = await fetch(url!, { headers: { Range: 'bytes=300000-' } })
    expect([beyond.status, (await beyond.arrayBuffer()).byteLength]).toEqual([200, 300_000])
  })

  it('W24 bytes sent under the hash of others are refused, and no trace of them is left', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const hash = nameOf(Buffer.from('right'))
    const { missing } = await urls(hub, at, hash)
    const answer = await fetch(missing[hash]!, { method: 'PUT', body: 'wrong' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'blob.mismatch' } })
    expect((await urls(hub, at, hash)).missing).toHaveProperty(hash)
  })

  it('W24 a signed address works for its action, its blob and its time only', async () => {
    const urlMs = 60_000
    const hub = await HubUnderTest.start({ urlMs })
    const at = await hub.run()
    const hash = await upload(hub, at, Buffer.from('content'))
    const { url } = (await hub.ask('GET', `${paths.fileUrl(at)}?hash=${hash}`)).body
    const changed = [
      String(url).replace('deed=get', 'deed=put'),
      String(url).replace(/until=\d+/, 'until=99999999999'),
      String(url).replace(hash, nameOf(Buffer.from('other'))),
      String(url).replace(/&signature=.*/, ''),
      String(url).replace(/until=\d+/, 'until=1'),
    ]
    for (const address of changed) expect((await fetch(address)).status).toBe(403)
    expect((await fetch(url!, { method: 'PUT', body: 'content' })).status).toBe(403)
    expect((await fetch(url!)).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + urlMs + 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await fetch(url!)).status).toBe(403)
  })

  it('W24 a blob of one project is missing in another, and knowing the hash opens nothing', async () => {
    const hub = await HubUnderTest.start()
    const [mine, other] = [await hub.run(), await hub.run()]
    const hash = await upload(hub, mine, Buffer.from('secret plans'))
    expect((await urls(hub, other, hash)).missing).toHaveProperty(hash)
    expect((await hub.ask('GET', `${paths.fileUrl(other)}?hash=${hash}`)).body).toMatchObject({
      error: { code: 'blob.unknown' },
    })
    expect((await urls(hub, mine, hash)).urls).toHaveProperty(hash)
  })

  it('W24 an event that names a blob that was never uploaded is refused, and the log stays as it was', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const bytes = Buffer.from('file')
    const change = notification('_posthog/file_sync', {
      path: 'a.txt',
      action: 'created',
      hash: nameOf(bytes),
      size: bytes.length,
      mode: '100644',
    })
    expect((await hub.post(at, change)).body).toMatchObject({
      error: { code: 'blob.missing', hashes: [nameOf(bytes)] },
    })
    await upload(hub, at, bytes)
    expect((await hub.post(at, change)).body).toMatchObject({ ids: [1] })
  })

  it('W24 W25 an event that is refused keeps no blob', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    await hub.runner(at)
    const bundle = await upload(hub, at, Buffer.from('bundle'))
    const commit = { sha: 'a'.repeat(40), branch: 'main', message: 'm', kind: 'checkpoint', upTo: 1, bundle }
    expect((await hub.post(at, notification('_posthog/git_commit', commit), { token })).status).toBe(403)
    const store = await openSqliteStore(`${hub.data}/store.sqlite`)
    const rows = await store.db.selectFrom('blobs').select('kept').execute()
    await store.close()
    expect(rows.map(({ kept }) => Number(kept))).toEqual([0])
  })

  it('W24 asks about up to 1,000 hashes at once and refuses malformed ones', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const hashes = Array.from({ length: 1000 }, (_, n) => nameOf(Buffer.from(`${n}`)))
    expect(Object.keys((await urls(hub, at, ...hashes)).missing)).toHaveLength(1000)
    const one = await hub.ask('POST', paths.fileUrls(at), { body: { hashes: [...hashes, hashes[0]] } })
    expect(one.status).toBe(400)
    const bad = await hub.ask('POST', paths.fileUrls(at), { body: { hashes: ['sha256_XYZ'] } })
    expect(bad.body).toMatchObject({ error: { field: 'hashes.0' } })
  })

  it('S10 W10 a path that would leave the workspace is refused at the door', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    for (const path of ['../x', '/etc/passwd', 'a/../../b', '.git/config', 'a//b', '']) {
      const change = notification('_posthog/file_sync', { path, action: 'deleted' })
      expect((await hub.post(at, change)).body).toMatchObject({ error: { field: 'params.path' } })
    }
  })

  it('W24b the raw log is exactly the file, from any event on', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.post(
      at,
      [1, 2, 3, 4].map((n) => notification('_note', { n, text: 'ä€😀\n"' })),
    )
    const whole = String((await hub.ask('GET', paths.log(at))).body)
    expect(whole.split('\n').map((line) => line && JSON.parse(line).id)).toEqual([1, 2, 3, 4, ''])
    const rest = String((await hub.ask('GET', `${paths.log(at)}?after=2`)).body)
    expect(whole.endsWith(rest)).toBe(true)
    expect(JSON.parse(rest.split('\n')[0]!)).toMatchObject({
      id: 3,
      notification: { params: { text: 'ä€😀\n"' } },
    })
    expect((await hub.ask('GET', `${paths.log(at)}?after=9`)).status).toBe(409)
  })
})
