import { patchType } from '@farhand/protocol/wire/patch'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import { hangUp, type Reply, refuse, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { downloadPatch, uploadPatch } from './patches.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 } }
const [hash, base] = [nameOf(Buffer.from('after')), nameOf(Buffer.from('before'))]
const patch = Uint8Array.of(1, 2, 3)
const stored: Reply = (response) => void response.writeHead(201).end(JSON.stringify({ hash, size: 5 }))
const found: Reply = (response) => void response.writeHead(200, { 'content-type': patchType }).end(patch)

const up = (url: string) => uploadPatch({ url, token: 't' }, someRun, { hash, size: 5, patch }, fast)
const down = (url: string) => downloadPatch({ url, token: 't' }, someRun, { hash, base }, fast)

describe('uploadPatch', () => {
  it('W35 sends the patch, and again after a failure', async () => {
    const hub = await hubThat(hangUp, refuse(503, 'storage.full', 'retry'), stored)
    expect(await up(hub.url)).toBe(true)
    expect(hub.requests[2]).toMatchObject({
      method: 'PUT',
      headers: { 'content-type': patchType, 'session-id': someRun.run, authorization: 'Bearer t' },
    })
    expect(hub.requests[2]!.query.get('hash')).toBe(hash)
    expect([...hub.requests[2]!.body]).toEqual([...patch])
  })

  it.each([
    ['has no such base', refuse(404, 'blob.unknown', 'give-up')],
    ['makes something else of it', refuse(400, 'blob.mismatch', 'fix-request')],
    ['has never heard of patches', refuse(404, 'route.unknown', 'fix-request')],
    ['says something else', ((response) => void response.end('{}')) as Reply],
  ])('W35 says that the whole has to be sent to a hub that %s', async (_, reply) => {
    const hub = await hubThat(reply)
    expect(await up(hub.url)).toBe(false)
    expect(hub.requests).toHaveLength(1)
  })

  it('W35 says that the whole has to be sent to a hub that fails again and again, but outlasts one that is away', async () => {
    const failing = refuse(500, 'hub.failed', 'retry')
    const stopping = refuse(503, 'hub.stopping', 'retry')
    const hub = await hubThat(failing, hangUp, stopping, hangUp, stopping, failing, hangUp, failing, stored)
    expect(await up(hub.url)).toBe(false)
    expect(hub.requests).toHaveLength(8)
  })

  it('stops with the reason of its signal', async () => {
    const hub = await hubThat(() => {})
    const stop = new AbortController()
    const sending = uploadPatch({ url: hub.url }, someRun, { hash, size: 5, patch }, { signal: stop.signal })
    await hub.request(1)
    stop.abort(new Error('never mind'))
    await expect(sending).rejects.toThrow('never mind')
  })
})

describe('downloadPatch', () => {
  it('W35 fetches the patch, if the hub has it', async () => {
    const hub = await hubThat(hangUp, found)
    expect([...(await down(hub.url))!]).toEqual([...patch])
    expect(Object.fromEntries(hub.requests[1]!.query)).toEqual({ hash, base })
  })

  it.each([
    ['does not know it', refuse(404, 'blob.unknown', 'give-up')],
    ['has never heard of patches', refuse(404, 'route.unknown', 'fix-request')],
    ['sends something else', ((response) => void response.end('<h1>?</h1>')) as Reply],
  ])('W35 says that the whole has to be fetched from a hub that %s', async (_, reply) => {
    const hub = await hubThat(reply)
    expect(await down(hub.url)).toBeNull()
    expect(hub.requests).toHaveLength(1)
  })

  it('W35 says that the whole has to be fetched from a hub that fails again and again', async () => {
    const failing = refuse(500, 'hub.failed', 'retry')
    const hub = await hubThat(failing, failing, failing, found)
    expect(await down(hub.url)).toBeNull()
    expect(hub.requests).toHaveLength(3)
  })

  it('W35 takes no endless answer for a patch', async () => {
    const endless: Reply = (response) => {
      response.writeHead(200, { 'content-type': patchType })
      const more = () => {
        while (response.write(new Uint8Array(1024 * 1024)));
        response.once('drain', more)
      }
      more()
    }
    const hub = await hubThat(endless)
    expect(await down(hub.url)).toBeNull()
    expect(hub.requests).toHaveLength(1)
  })
})
