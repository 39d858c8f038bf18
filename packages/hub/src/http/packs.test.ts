import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { eventsHead, missingRecord, PackReader, packType, writePack } from '@farhand/protocol/wire/pack'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HubUnderTest, message, notification } from './hub-under-test.ts'

const whole = (bytes: Buffer) => ({
  hash: BlobHash.parse(`sha256_${createHash('sha256').update(bytes).digest('hex')}`),
  bytes,
})
const lines = (...events: unknown[]) => Buffer.from(events.map((event) => JSON.stringify(event)).join('\n'))
const wrote = (path: string, hash: BlobHash) =>
  notification('_posthog/file_sync', { path, action: 'created', hash, was: null })

async function start() {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const send = async (pack: Uint8Array, headers: Record<string, string> = {}, token = hub.token) => {
    const answer = await fetch(new URL(paths.sync(at), hub.hub.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': packType, ...headers },
      body: new Uint8Array(pack),
    })
    return { status: answer.status, body: (await answer.json()) as unknown }
  }
  return { hub, at, send }
}

async function fetchAll(hub: HubUnderTest, at: RunAddress, hashes: readonly string[], token = hub.token) {
  const answer = await fetch(new URL(paths.blobs(at), hub.hub.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ hashes }),
  })
  expect(answer.headers.get('content-type')).toBe(packType)
  const reader = new PackReader({ mostBytes: 10_000_000 })
  const records = reader.feed(new Uint8Array(await answer.arrayBuffer()))
  reader.end()
  return records
}

const stored = (hub: HubUnderTest) => readdirSync(join(hub.data, 'files', 'packs'))

describe('a pack that is sent', () => {
  it('W31 stores its blobs and then the events that name them, with one answer for both', async () => {
    const { hub, at, send } = await start()
    const blobs = Array.from({ length: 100 }, (_, n) => whole(randomBytes(n * 50)))
    const events = blobs.map(({ hash }, n) => wrote(`${n}.txt`, hash))
    expect(await send(writePack(blobs, lines(...events)))).toEqual({
      status: 202,
      body: { lastEventId: 100, ids: blobs.map((_, n) => n + 1) },
    })
    const { url } = (await hub.ask('GET', `${paths.fileUrl(at)}?hash=${blobs[7]!.hash}`)).body
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(blobs[7]!.bytes)).toBe(true)
    const part = await fetch(url, { headers: { Range: 'bytes=100-' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer()).equals(blobs[7]!.bytes.subarray(100))).toBe(true)
  })

  it('W31 may hold blobs alone, events alone, or nothing', async () => {
    const { at, hub, send } = await start()
    const blob = whole(Buffer.from('alone'))
    expect(await send(writePack([blob]))).toEqual({ status: 202, body: { lastEventId: 0, ids: [] } })
    expect(await send(writePack([blob]), { 'Idempotency-Key': 'k' })).toMatchObject({ status: 202 })
    expect((await send(writePack([], lines(wrote('a', blob.hash))))).body).toEqual({
      lastEventId: 1,
      ids: [1],
    })
    expect(await send(new Uint8Array())).toEqual({ status: 202, body: { lastEventId: 1, ids: [] } })
    expect(await fetchAll(hub, at, [blob.hash])).toMatchObject([{ kind: 'blob', hash: blob.hash }])
  })

  it('W31 W7 W9 is stored once however often it is sent', async () => {
    const { hub, at, send } = await start()
    const blob = whole(Buffer.from('again'))
    const keyed = writePack([blob], lines(wrote('a', blob.hash)))
    for (let n = 0; n < 2; n++) {
      expect((await send(keyed, { 'Idempotency-Key': 'once' })).body).toEqual({ lastEventId: 1, ids: [1] })
    }
    const other = writePack([blob], lines(wrote('b', blob.hash)))
    expect((await send(other, { 'Idempotency-Key': 'once' })).body).toMatchObject({
      error: { code: 'key.reused' },
    })
    const { token } = await hub.runner(at)
    const change = notification('_posthog/file_change', { path: 'c', action: 'created', hash: blob.hash })
    const stamp = { 'Producer-Id': 'runner', 'Producer-Epoch': '1', 'Producer-Seq': '0' }
    for (let n = 0; n < 2; n++) {
      expect((await send(writePack([blob], lines(change, change)), stamp, token)).body).toEqual({
        lastEventId: 4,
        ids: [3, 4],
      })
    }
  })

  it('W31 leaves nothing when its events are refused for a reason that can be known before', async () => {
    const { hub, at, send } = await start()
    const blob = whole(Buffer.from('refused'))
    const code = async (events: Buffer | undefined, headers: Record<string, string> = {}, token?: string) =>
      (await send(writePack([blob], events), headers, token)).body as { error: { code: string } }
    const missing = whole(Buffer.from('missing')).hash
    expect(await code(lines(wrote('a', missing)))).toMatchObject({
      error: { code: 'blob.missing', hashes: [missing] },
    })
    expect(await code(lines(notification('agent_message_chunk', { text: 'x' })))).toMatchObject({
      error: { code: 'role.refused' },
    })
    expect(await code(lines(notification('_posthog/session_init')))).toMatchObject({
      error: { code: 'request.malformed' },
    })
    expect(await code(lines({ type: 'register_callback', callbacks: [] }))).toMatchObject({
      error: { code: 'request.malformed' },
    })
    expect(await code(lines(message('x')), { 'Session-Id': 'run_zzzzzzzzzzzz' })).toMatchObject({
      error: { code: 'session.mismatch' },
    })
    const { token } = await hub.runner(at)
    await hub.runner(at)
    expect(await code(undefined, {}, token)).toMatchObject({ error: { code: 'runner.fenced' } })
    await hub.ask('DELETE', paths.sync(at))
    expect(await code(lines(wrote('a', blob.hash)))).toMatchObject({ error: { code: 'run.closed' } })
    expect(await code(undefined)).toMatchObject({ error: { code: 'run.closed' } })
    expect(stored(hub)).toEqual([])
    expect(await fetchAll(hub, at, [blob.hash])).toEqual([{ kind: 'missing', hash: blob.hash }])
  })

  it('W31 leaves nothing behind when it is malformed, too large, or a blob does not hash to its name', async () => {
    const { hub, at, send } = await start()
    const good = whole(Buffer.from('good'))
    const pack = Buffer.from(writePack([good], lines(message('x'))))
    const events = lines(message('x'))
    const after = (...parts: Uint8Array[]) => Buffer.concat([pack, ...parts])
    const wrongLength = Buffer.from(pack)
    wrongLength[4]! += 1
    const wrongKind = Buffer.from(pack)
    wrongKind[0] = 9
    const cases: [string, Uint8Array, number, string][] = [
      ['truncated', pack.subarray(0, -1), 400, 'request.malformed'],
      ['only a head', pack.subarray(0, 3), 400, 'request.malformed'],
      ['a wrong kind', wrongKind, 400, 'request.malformed'],
      ['a wrong length', wrongLength, 400, 'request.malformed'],
      ['events first', after(writePack([good])), 400, 'request.malformed'],
      ['events twice', after(eventsHead(events.length), events), 400, 'request.malformed'],
      ['something missing', after(missingRecord(good.hash)), 400, 'request.malformed'],
      ['missing alone', missingRecord(good.hash), 400, 'request.malformed'],
      ['no events in its events', writePack([good], Buffer.from('\n')), 400, 'request.malformed'],
      ['no JSON in its events', writePack([good], Buffer.from('{')), 400, 'request.malformed'],
      ['no UTF-8 in its events', writePack([good], Buffer.from([0xff])), 400, 'request.malformed'],
      ['9 MiB', writePack([whole(randomBytes(9 * 1024 * 1024))]), 413, 'request.too-large'],
      ['a length of 4 GiB', Buffer.from([1, 255, 255, 255, 255]), 413, 'request.too-large'],
      ['4,001 blobs', writePack(Array.from({ length: 4001 }, () => good)), 413, 'request.too-large'],
      [
        'another hash',
        writePack([good, { ...good, bytes: Buffer.from('bad') }], events),
        400,
        'blob.mismatch',
      ],
    ]
    for (const [name, body, status, code] of cases) {
      expect(await send(body), name).toMatchObject({ status, body: { error: { code } } })
    }
    expect(stored(hub)).toEqual([])
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 0 })
  })

  it('W31 is refused and leaves nothing behind if any byte of it is changed or lost', async () => {
    const { hub, at, send } = await start()
    const pack = writePack([whole(Buffer.from('some bytes')), whole(Buffer.from('more'))])
    const flip = fc.record({ at: fc.nat(pack.length - 1), by: fc.integer({ min: 1, max: 255 }) })
    const damaged = fc.oneof(
      flip.map(({ at, by }) => pack.map((byte, n) => (n === at ? byte ^ by : byte))),
      fc.integer({ min: 1, max: pack.length - 1 }).map((end) => pack.slice(0, end)),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async (body) => {
        // What is cut off between two records is a smaller pack.
        fc.pre(body.length !== 47)
        const { status } = await send(body)
        expect([400, 413]).toContain(status)
      }),
      { numRuns: 150 },
    )
    expect(stored(hub)).toEqual([])
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 0 })
  })
})

describe('blobs that are asked for together', () => {
  it('W32 come in the order asked, those of another project as missing', async () => {
    const { hub, at, send } = await start()
    const blobs = Array.from({ length: 300 }, (_, n) => whole(Buffer.from(`blob ${n}`)))
    await send(writePack(blobs))
    const asked = [...blobs].reverse().map(({ hash }) => hash)
    expect((await fetchAll(hub, at, asked)).map((record) => 'hash' in record && record.hash)).toEqual(asked)
    const elsewhere = await hub.run()
    const records = await fetchAll(hub, elsewhere, asked)
    expect(records).toEqual(asked.map((hash) => ({ kind: 'missing', hash })))
  })

  it('W32 may be large ones in files of their own, and a runner may ask', async () => {
    const { hub, at, send } = await start()
    const [small, large] = [whole(Buffer.from('small')), whole(randomBytes(3_000_000))]
    await send(writePack([small]))
    const { missing } = (await hub.ask('POST', paths.fileUrls(at), { body: { hashes: [large.hash] } }))
      .body as never as {
      missing: Record<string, string>
    }
    await fetch(missing[large.hash]!, { method: 'PUT', body: new Uint8Array(large.bytes) })
    const { token } = await hub.runner(at)
    const records = await fetchAll(hub, at, [large.hash, small.hash], token)
    expect(records.map((record) => record.kind === 'blob' && whole(Buffer.from(record.bytes)).hash)).toEqual([
      large.hash,
      small.hash,
    ])
    await hub.runner(at)
    const fenced = await hub.ask('POST', paths.blobs(at), { body: { hashes: [small.hash] }, token })
    expect(fenced.body).toMatchObject({ error: { code: 'runner.fenced' } })
  })

  it('W32 are at most a thousand', async () => {
    const { hub, at } = await start()
    const { hash } = whole(Buffer.from('x'))
    for (const hashes of [[], Array(1001).fill(hash), ['nonsense']]) {
      expect((await hub.ask('POST', paths.blobs(at), { body: { hashes } })).status).toBe(400)
    }
  })
})
