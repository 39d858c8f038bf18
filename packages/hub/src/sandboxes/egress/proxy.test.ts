import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { pipeBothWays } from '@farhand/kit/pipe-both-ways'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { describe, expect, it, onTestFinished } from 'vitest'
import { egressProxyUnderTest, upstream } from './egress-proxy-under-test.ts'

async function site(answer: RequestListener) {
  const seen: IncomingMessage[] = []
  const { url, close } = await onLoopback(
    createServer((req, res) => {
      seen.push(req)
      answer(req, res)
    }),
  )
  onTestFinished(close)
  return { seen, port: Number(new URL(url).port) }
}

describe('a request through the egress proxy', () => {
  it('arrives as it was sent, without the headers for the proxy', async () => {
    const bodies: string[] = []
    const { seen, port } = await site(async (req, res) => {
      bodies.push(await text(req))
      res.writeHead(201, 'Made', { 'X-Two': ['a', 'b'], Connection: 'X-Mine', 'X-Mine': 'secret' })
      res.end('made it')
    })
    const { connect, looked } = await egressProxyUnderTest({ allow: [`site.test:${port}`] })
    const line = await connect()
    const head = `POST http://Site.TEST:${port}/a%20b?c=d HTTP/1.1\r\nHost: elsewhere.test\r\nX-Case: KeptRun\r\n`
    const forProxy =
      'Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nConnection: X-Hop\r\nX-Hop: 1\r\n'
    for (const body of [
      'Content-Length: 3\r\n\r\nabc',
      'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    ]) {
      await line.write(`${head}${forProxy}${body}`)
      expect(await line.answer()).toMatchObject({ status: 201, body: 'made it' })
      expect(bodies.pop()).toBe('abc')
      const { method, url, headers, rawHeaders } = seen.pop()!
      expect({ method, url, host: headers.host }).toEqual({
        method: 'POST',
        url: '/a%20b?c=d',
        host: `site.test:${port}`,
      })
      expect(rawHeaders).toContain('X-Case')
      expect(Object.keys(headers).filter((name) => /^proxy-|^x-hop$/.test(name))).toEqual([])
    }
    expect(looked).toEqual(['site.test', 'site.test'])
  })

  it('is answered without the headers for the connection', async () => {
    const { port } = await site((_req, res) => {
      res.writeHead(200, {
        Connection: 'X-Mine',
        'X-Mine': 'no',
        'Keep-Alive': 'timeout=9',
        'X-Yours': 'yes',
      })
      res.end()
    })
    const { connect } = await egressProxyUnderTest({ allow: [`127.0.0.1:${port}`] })
    const line = await connect()
    await line.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\n\r\n`)
    const { headers } = (await line.answer())!
    expect([headers.get('x-yours'), headers.get('x-mine')]).toEqual(['yes', undefined])
  })

  it('to a host that is not listed is refused with a reason, and reported once', async () => {
    const { seen, port } = await site((_req, res) => res.end())
    const { connect, refused, looked } = await egressProxyUnderTest({ allow: ['good.test'] })
    const line = await connect()
    for (const host of ['bad.test', 'BAD.test.', '127.0.0.1'])
      for (const name of ['Host: good.test', `Host: ${host}`]) {
        await line.write(`GET http://good.test@${host}:${port}/ HTTP/1.1\r\n${name}\r\n\r\n`)
        const answer = await line.answer()
        expect(answer).toMatchObject({ status: 403 })
        expect(answer?.body).toMatch(/cannot be reached from this sandbox: it is not among the hosts/)
      }
    expect(refused).toEqual([
      { host: 'bad.test', port },
      { host: '127.0.0.1', port },
    ])
    expect([seen, looked]).toEqual([[], []])
  })

  it('to a listed name that resolves to the hub’s machine is refused, and the name is looked up only once', async () => {
    const { port } = await site((_req, res) => res.end('hello'))
    const { connect, refused, looked } = await egressProxyUnderTest({
      allow: ['good.test', `also.test:${port}`],
    })
    const line = await connect()
    await line.write('GET http://good.test/ HTTP/1.1\r\n\r\n')
    expect((await line.answer())?.body).toMatch(/leads into a private network/)
    expect(refused).toEqual([{ host: 'good.test', port: 80 }])
    await line.write(`GET http://also.test:${port}/ HTTP/1.1\r\n\r\n`)
    expect((await line.answer())?.body).toBe('hello')
    expect(looked).toEqual(['good.test', 'also.test'])
  })

  it.each([
    'GET / HTTP/1.1',
    'GET https://site.test/ HTTP/1.1',
    'GET ftp://site.test/ HTTP/1.1',
    'CONNECT site.test HTTP/1.1',
    'CONNECT http://site.test:443 HTTP/1.1',
    'CONNECT /git/ HTTP/1.1',
  ])('is not understood as %s', async (first) => {
    const { connect, looked } = await egressProxyUnderTest({ allow: ['site.test'] })
    const line = await connect()
    await line.write(`${first}\r\nHost: site.test\r\n\r\n`)
    expect((await line.answer())?.status).toBe(400)
    expect(looked).toEqual([])
  })

  it('that gets no answer says so, before and after a connection was made', async () => {
    const { port } = await upstream((socket) => socket.once('data', () => socket.destroy()))
    const { connect } = await egressProxyUnderTest({
      allow: [`site.test:${port}`, 'gone.test:1', 'nowhere.test:1'],
      lookup: async (host) => {
        if (host === 'nowhere.test') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return ['127.0.0.1']
      },
    })
    const line = await connect()
    const ask = async (at: string) => {
      await line.write(`GET http://${at}/ HTTP/1.1\r\n\r\n`)
      return await line.answer()
    }
    expect(await ask('gone.test:1')).toMatchObject({ status: 502, body: /ECONNREFUSED/ } as object)
    expect((await ask('nowhere.test:1'))?.body).toMatch(/ENOTFOUND/)
    expect((await ask(`site.test:${port}`))?.body).toMatch(/broke off without an answer/)
  })
})

describe('a tunnel through the egress proxy', () => {
  const opened = async (authority: string, said: Parameters<typeof egressProxyUnderTest>[0]) => {
    const gate = await egressProxyUnderTest(said)
    const socket = connect({ path: gate.proxy, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`)
    const [first] = (await once(socket, 'data')) as [Buffer]
    return { ...gate, socket, first: first.toString() }
  }

  it('carries bytes both ways, and one side may go on when the other has said all', async () => {
    const { port } = await upstream((socket) => {
      let heard = ''
      socket.on('data', (bytes) => (heard += bytes))
      socket.on('end', () => socket.end(`heard ${heard}`))
    })
    const { socket, first } = await opened(`site.test:${port}`, { allow: [`site.test:${port}`] })
    expect(first).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.end('hello')
    expect(await text(socket)).toBe('heard hello')
  })

  it('carries many bytes whole', async () => {
    const { port } = await upstream((socket) => void socket.pipe(socket))
    const { socket } = await opened(`site.test:${port}`, { allow: [`site.test:${port}`] })
    const sent = Buffer.alloc(5_000_000, 'bytes')
    socket.end(sent)
    expect((await buffer(socket)).equals(sent)).toBe(true)
  })

  it('takes no more than its other end reads', async () => {
    const piece = Buffer.alloc(64 * 1024)
    let written = 0
    let isFull = () => {}
    const full = new Promise<void>((resolve) => (isFull = resolve))
    const { port } = await upstream(async (socket) => {
      for (; written < 50_000_000; written += piece.length) {
        if (socket.write(piece)) continue
        const late = new Promise((resolve) => setTimeout(resolve, 500, 'late'))
        if ((await Promise.race([once(socket, 'drain'), late])) === 'late') break
      }
      isFull()
    })
    const { socket } = await opened(`site.test:${port}`, { allow: [`site.test:${port}`] })
    socket.pause()
    await full
    expect(written).toBeLessThan(30_000_000)
  })

  it('ends at both ends when one of them breaks', async () => {
    const { port, sockets } = await upstream((socket) => socket.resume().on('end', () => socket.end()))
    const { socket, connect } = await opened(`site.test:${port}`, { allow: [`site.test:${port}`] })
    socket.destroy()
    while (sockets.size > 0) await new Promise(setImmediate)
    const other = await connect()
    await other.write(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`)
    await other.answer({ toHead: true })
    for (const one of sockets) one.resetAndDestroy()
    await other.closed
  })

  it('is closed if one side has left and the other is silent', async () => {
    const { port, sockets } = await upstream(() => {})
    const [one, other] = [connect({ port, allowHalfOpen: true }), connect({ port, allowHalfOpen: true })]
    await Promise.all([once(one, 'connect'), once(other, 'connect')])
    pipeBothWays(one, other, { silentMs: 20 })
    const closed = Promise.all([once(one, 'close'), once(other, 'close')])
    for (const socket of sockets) {
      socket.end()
      break
    }
    await closed
  })

  it.each(['bad.test:443', '127.0.0.1:443', '[::1]:443', 'localhost:443', '2130706433:443', 'good.test:22'])(
    'to %s is refused in words',
    async (authority) => {
      const { first, refused, looked } = await opened(authority, { allow: ['good.test'] })
      expect(first).toMatch(
        /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*it is not among the hosts that this run may reach/,
      )
      expect(refused).toHaveLength(1)
      expect(looked).toEqual([])
    },
  )

  it('is refused under none, to any host', async () => {
    const { first } = await opened('good.test:443', {
      rules: { network: 'none', alsoHosts: ['good.test'], privateHosts: 'any' },
    })
    expect(first).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('is one of a bounded number', async () => {
    const { port, sockets } = await upstream((socket) => socket.resume().on('end', () => socket.end()))
    const gate = await egressProxyUnderTest({ allow: [`site.test:${port}`] })
    const open = async () => {
      const line = await gate.connect()
      await line.write(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`)
      return { line, status: (await line.answer({ toHead: true }))?.status }
    }
    const lines = await Promise.all(Array.from({ length: 256 }, open))
    expect(new Set(lines.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await open()).status).toBe(503)
    lines[0]!.line.leave()
    while (sockets.size === 256) await new Promise(setImmediate)
    expect((await open()).status).toBe(200)
  })
})

describe('an offer to speak another protocol', () => {
  const offer = (port: number) =>
    `GET http://site.test:${port}/chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`

  it('is passed on, and a server that accepts it has the connection', async () => {
    const heads: string[] = []
    const { port } = await upstream((socket) => {
      socket.once('data', (head: Buffer) => {
        heads.push(head.toString())
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst',
        )
        socket.pipe(socket)
      })
    })
    const { connect } = await egressProxyUnderTest({ allow: [`site.test:${port}`] })
    const line = await connect()
    await line.write(offer(port))
    while (!line.text().endsWith('first')) await new Promise(setImmediate)
    expect(line.text()).toMatch(/^HTTP\/1\.1 101 [\s\S]*Upgrade: websocket\r\n/)
    await line.write('frame')
    while (!line.text().endsWith('firstframe')) await new Promise(setImmediate)
    expect(heads[0]).toMatch(/^GET \/chat HTTP\/1\.1\r\nHost: site\.test:\d+\r\n/)
  })

  it('that is not accepted is answered or refused like any request', async () => {
    const { port } = await site((_req, res) => res.end('no sockets here'))
    const { connect } = await egressProxyUnderTest({ allow: [`site.test:${port}`] })
    const line = await connect()
    await line.write(offer(port))
    expect(await line.answer()).toMatchObject({ status: 200, body: 'no sockets here' })
    const other = await connect()
    await other.write(offer(port + 1))
    expect(await other.answer()).toMatchObject({ status: 403 })
  })
})
