import { describe, expect, it } from 'vitest'
import { egressProxyUnderTest, upstream } from './egress-proxy-under-test.ts'

const head = 'HTTP/1.1 200 OK\r\n'
const answers = [
  'HTTP/1.1 200 a\x01b\r\n\r\n',
  'HTTP/1.1 200 \xff\xfe\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 099 no\r\n\r\n',
  'HTTP/1.1 999 no\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nmore',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500),
  'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nbytes',
  `${head}X-Bad: a\x01b\r\n\r\n`,
  `${head}X Bad: a\r\n\r\n`,
  `${head}Content-Type: \xe9\r\nContent-Length: 0\r\n\r\n`,
  `${head}Content-Length: -1\r\n\r\n`,
  `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `${head}Content-Length: 100\r\n\r\nshort`,
  `${head}${'X: y\r\n'.repeat(5_000)}\r\n`,
  'HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n',
  'HTTP/1.1 401 No\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nshort',
  'nonsense',
  '\0\0\0\0',
  '',
]

const requests = (port: number) => [
  `GET http://site.test:${port}/ HTTP/1.1\r\n\r\n`,
  `POST http://site.test:${port}/ HTTP/1.1\r\nX-Odd: \xe9\xff\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbytes\r\n0\r\n\r\n`,
  `GET http://site.test:${port}/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: \xe9\r\n\r\n`,
  `CONNECT site.test:${port} HTTP/1.1\r\n\r\nhello`,
  `GET /git/http/site.test:${port}/a/info/refs?service=git-upload-pack HTTP/1.1\r\nUser-Agent: \xe9\r\n\r\n`,
]

describe('a hostile peer of the egress', () => {
  it.each(answers.map((answer) => [JSON.stringify(answer).slice(0, 60), answer]))(
    'cannot crash the hub, or keep a connection open, as a server that answers %s',
    async (_, answer) => {
      const { port, sockets } = await upstream((socket) =>
        socket.once('data', () => socket.end(Buffer.from(answer, 'latin1'))),
      )
      const { connect } = await egressProxyUnderTest({
        allow: [`site.test:${port}`],
        remotes: [`http://site.test:${port}/`],
        credentialFor: async () => ({ username: 'a', password: 'b' }),
      })
      for (const request of requests(port)) {
        const line = await connect()
        await line.write(request)
        line.halfClose()
        await line.closed
        line.leave()
      }
      while (sockets.size > 0) await new Promise(setImmediate)
      const line = await connect()
      await line.write('GET / HTTP/1.1\r\n\r\n')
      expect((await line.answer())?.status).toBe(400)
    },
  )

  it.each([
    'GET http://site.test:1/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    'GET http://site.test:1/\r\n\r\n',
    'CONNECT [ HTTP/1.1\r\n\r\n',
    'CONNECT \xff:443 HTTP/1.1\r\n\r\n',
    'GET http://%/ HTTP/1.1\r\n\r\n',
    'GET /git/http/%ff%fe HTTP/1.1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
    `GET http://site.test:1/ HTTP/1.1\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`,
  ])('nor as a process in the sandbox that asks %j', async (words) => {
    const { connect, looked } = await egressProxyUnderTest({ allow: ['site.test'] })
    const line = await connect()
    await line.write(words)
    line.halfClose()
    await line.closed
    expect(looked).toEqual([])
  })

  it('is not connected to if the sandbox left while the name was looked up', async () => {
    const { port, sockets } = await upstream((socket) => socket.resume().on('end', () => socket.end()))
    let found: (addresses: string[]) => void = () => {}
    const gate = await egressProxyUnderTest({
      allow: [`site.test:${port}`],
      lookup: () => new Promise((resolve) => (found = resolve)),
    })
    for (const request of requests(port).slice(0, 4)) {
      found = () => {}
      const waits = found
      const line = await gate.connect()
      await line.write(request)
      while (found === waits) await new Promise(setImmediate)
      line.leave()
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      found(['127.0.0.1'])
    }
    await gate.gate.close()
    while (sockets.size > 0) await new Promise(setImmediate)
  })
})
