import { createHash, randomBytes } from 'node:crypto'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { packType, writePack } from '@farhand/protocol/wire/pack'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { HubUnderTest, message, notification } from '../hub-under-test.ts'

const blobOf = (bytes: Buffer) => ({
  hash: BlobHash.parse(`sha256_${createHash('sha256').update(bytes).digest('hex')}`),
  bytes,
})
const event = (path: string, hash: BlobHash) =>
  Buffer.from(
    JSON.stringify(notification('_posthog/file_sync', { path, action: 'created', hash, was: null })),
  )

async function start() {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const send = async (bytes: Buffer, device: string) => {
    const blob = blobOf(bytes)
    const answer = await fetch(new URL(paths.sync(at), hub.hub.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${hub.token}`, 'Content-Type': packType, 'Device-Id': device },
      body: new Uint8Array(writePack([blob], event('f', blob.hash))),
    })
    expect(answer.status).toBe(202)
    return blob
  }
  const listen = async (query: string, device: string) => {
    const stream = await hub.stream(at, query, { 'Device-Id': device })
    await stream.until(({ event }) => event === 'live')
    return stream
  }
  return { hub, at, send, listen }
}

const [mine, other] = ['dev_laptop00', 'dev_laptop22']

describe('contents that come along', () => {
  it('W33 come before the event that names them, to readers that asked for contents and did not send these', async () => {
    const { send, listen } = await start()
    const wants = await listen('?contents=along', other)
    const brought = await listen('?contents=along', mine)
    const plain = await listen('', other)
    const { hash, bytes } = await send(Buffer.from('small'), mine)
    expect(await wants.next()).toMatchObject({ event: 'blob', data: `${hash} ${bytes.toString('base64')}` })
    expect(await wants.next()).toMatchObject({ id: 1 })
    expect(await brought.next()).toMatchObject({ id: 1 })
    expect(await plain.next()).toMatchObject({ id: 1 })
  })

  it('W33 are left out when they are not small, and for a reader that is not live yet', async () => {
    const { hub, at, send, listen } = await start()
    await send(Buffer.from('before'), mine)
    const late = await hub.stream(at, '?contents=along', { 'Device-Id': other })
    expect((await late.until(({ event }) => event === 'live')).map(({ event }) => event)).not.toContain(
      'blob',
    )
    const wants = await listen('?contents=along', other)
    await send(randomBytes(17 * 1024), mine)
    expect(await wants.next()).toMatchObject({ id: 2 })
  })

  it('W33 are not sent to a reader that has left', async () => {
    const { hub, at, send, listen } = await start()
    const wants = await listen('?contents=along', other)
    wants.leave()
    await send(Buffer.from('small'), mine)
    expect((await hub.post(at, message('still answers'))).status).toBe(202)
  })

  it('W33 knows no other way to ask', async () => {
    const { hub, at } = await start()
    expect((await hub.stream(at, '?contents=all')).answer.status).toBe(400)
  })
})
