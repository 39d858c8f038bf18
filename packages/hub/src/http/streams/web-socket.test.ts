import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HubUnderTest, message } from '../hub-under-test.ts'

const offer = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  // The example of RFC 6455.
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': 'farhand.stream',
}

type Answered = {
  answer: IncomingMessage
  socket: Socket | null
  text: (isAll: (text: string) => boolean) => Promise<string>
}

/** What a hub answers to a request for a stream as a WebSocket; `text` is what its messages say, one after the other. */
async function opened(hub: HubUnderTest, path: string, headers: Record<string, string>): Promise<Answered> {
  const asked = request(new URL(path, hub.hub.url), { headers: { ...offer, ...headers } })
  onTestFinished(() => void asked.destroy())
  asked.end()
  const [answer, socket = null, rest = Buffer.alloc(0)] = (await Promise.race([
    once(asked, 'upgrade'),
    once(asked, 'response'),
  ])) as [IncomingMessage, Socket?, Buffer?]
  let bytes: Buffer = rest
  socket?.on('data', (more) => (bytes = Buffer.concat([bytes, more])))
  const text = async (isAll: (text: string) => boolean) => {
    for (;;) {
      const said = textOf(bytes)
      if (isAll(said) || socket?.destroyed) return said
      await Promise.race([once(socket!, 'data'), once(socket!, 'close')])
    }
  }
  return { answer, socket, text }
}

/** The bytes of whole messages, without what WebSockets put around them; "(closed)" is where the hub said that it is over. */
function textOf(bytes: Buffer): string {
  const parts: string[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes[at + 1]!
    const head = short === 126 ? 4 : short === 127 ? 10 : 2
    if (at + head > bytes.length) break
    const length =
      head === 2 ? short : head === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    if (at + head + length > bytes.length) break
    parts.push(bytes[at] === 0x88 ? '(closed)' : bytes.subarray(at + head, at + head + length).toString())
    at += head + length
  }
  return parts.join('')
}

describe('W55 a stream as a WebSocket', () => {
  it('says the same as one of HTTP, from a cursor in the query on, however long an event is', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const headers = { Authorization: `Bearer ${hub.token}` }
    await hub.post(at, message('first'))
    const path = `${paths.sync(at)}?envelope=stored&last_event_id=1`
    const { answer, text } = await opened(hub, path, headers)
    expect(answer.headers).toMatchObject({
      'sec-websocket-accept': 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
      'sec-websocket-protocol': 'farhand.stream',
    })
    expect(await text((said) => said.includes('event: live'))).not.toContain('first')
    for (const length of [1, 200, 70_000]) await hub.post(at, message('x'.repeat(length)))
    const said = await text((said) => said.includes('id: 4\n'))
    for (const length of [1, 200, 70_000]) expect(said).toContain(`"content":"${'x'.repeat(length)}"`)
    const plain = await hub.stream(at, '?envelope=stored', { 'Last-Event-ID': '1' })
    const same = await plain.until(({ id }) => id === 4)
    for (const { data } of same) if (data) expect(said).toContain(data)
  })

  it('is opened for users who may read the stream, and ends with their session', async () => {
    const hub = await HubUnderTest.start()
    const signedIn = await hub.ask('POST', '/api/sign-in', { body: { token: hub.token }, token: null })
    const Cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    const { sessionKey } = signedIn.body as unknown as { sessionKey: string }
    const withKey = { 'Sec-WebSocket-Protocol': `farhand.stream, farhand.key.${sessionKey}`, Cookie }
    const Origin = new URL(hub.hub.url).origin
    const status = async (headers: Record<string, string>) =>
      (await opened(hub, paths.runChanges(), headers)).answer.statusCode
    expect(await status({ Cookie, Origin })).toBe(401)
    expect(await status({ ...withKey, Origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await status({ ...withKey, Host: 'evil.example' })).toBe(403)
    const stream = await opened(hub, paths.runChanges(), { ...withKey, Origin })
    expect(stream.answer.statusCode).toBe(101)
    await stream.text((said) => said.includes('event: live'))
    const headers = { Cookie, 'Farhand-Key': sessionKey }
    await hub.ask('POST', '/api/sign-out', { token: null, headers })
    expect(await stream.text(() => false)).toMatch(/\(closed\)$/)
  })

  it('is for streams only, and a message from the reader ends it', async () => {
    const hub = await HubUnderTest.start()
    const headers = { Authorization: `Bearer ${hub.token}` }
    const other = await opened(hub, paths.me(), headers)
    expect([other.answer.statusCode, other.socket]).toEqual([200, null])
    const { socket } = await opened(hub, paths.runChanges(), headers)
    socket!.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]))
    await once(socket!, 'end')
  })
})
