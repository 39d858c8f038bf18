import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { lineThrough, lineTo, openRelay, type RelayOptions } from './relay.ts'

const folder = mkdtempSync(join(tmpdir(), 'farhand-relay-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { signal: still } = new AbortController()

/** A socket at which a server answers as the test says. */
async function answering(
  talk: (socket: Socket) => void,
  path = join(folder, `${Math.random()}.sock`),
): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    talk(socket)
  }).listen(path)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return path
}

async function relay(options: RelayOptions) {
  const opened = await openRelay(options)
  onTestFinished(() => opened.close())
  const socket = connect({ port: opened.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  return socket
}

describe('a relay', () => {
  it('carries bytes to its socket and back, until both sides have ended', async () => {
    const path = await answering((socket) => {
      let heard = ''
      socket.on('data', (bytes) => (heard += bytes))
      socket.on('end', () => socket.end(`heard ${heard}`))
    })
    const socket = await relay({ line: (signal) => lineTo(path, signal) })
    socket.write('first, ')
    setImmediate(() => socket.end('and last'))
    expect(await text(socket)).toBe('heard first, and last')
  })

  it('lets a connection that comes while no hub is at the socket wait for the next one', async () => {
    const path = join(folder, 'later.sock')
    let tries = 0
    const line = (signal: AbortSignal) => {
      tries++
      return lineTo(path, signal)
    }
    const socket = await relay({ line })
    socket.end('hello')
    while (tries === 0) await new Promise(setImmediate)
    await answering((socket) => socket.end('here again'), path)
    expect(await text(socket)).toBe('here again')
  })

  it('cuts a connection when no hub comes, and stops waiting for one that has left', async () => {
    const path = join(folder, 'never.sock')
    const socket = await relay({ line: (signal) => lineTo(path, signal, 0) })
    socket.write('hello')
    expect(await text(socket).catch(() => '')).toBe('')
    const left = new AbortController()
    const waiting = lineTo(path, left.signal)
    left.abort(new Error('left'))
    await expect(waiting).rejects.toThrow()
  })

  it('cuts a connection that does not begin with the right token, before anything reaches the socket', async () => {
    let came = 0
    const path = await answering((socket) => {
      came++
      socket.end('welcome')
    })
    const isOurs = (first: Buffer) => first.toString().startsWith('word')
    const wrong = await relay({ line: (signal) => lineTo(path, signal), isOurs })
    wrong.write('sword')
    expect(await text(wrong).catch(() => '')).toBe('')
    expect(came).toBe(0)
    const right = await relay({ line: (signal) => lineTo(path, signal), isOurs })
    right.end('word')
    expect(await text(right)).toBe('welcome')
  })
})

describe('a connection through a proxy', () => {
  it('loses nothing of what follows the answer, however that is cut', async () => {
    const asked: string[] = []
    const path = await answering((socket) => {
      socket.once('data', (bytes: Buffer) => {
        asked.push(bytes.toString())
        socket.write('HTTP/1.1 200 Connection est')
        setImmediate(() => socket.write('ablished\r\n\r'))
        setImmediate(() => setImmediate(() => socket.end('\nfirst words')))
      })
    })
    expect(await text(await lineThrough(path, '127.0.0.1:4000', still))).toBe('first words')
    expect(asked).toEqual(['CONNECT 127.0.0.1:4000 HTTP/1.1\r\nHost: 127.0.0.1:4000\r\n\r\n'])
  })

  it.each(['HTTP/1.1 403 Forbidden\r\n\r\nno', '', 'HTTP/1.1 200 ', 'x'.repeat(20_000)])(
    'is none if something else is answered',
    async (answer) => {
      const path = await answering((socket) => socket.once('data', () => socket.end(answer)))
      await expect(lineThrough(path, 'other.test:443', still)).rejects.toThrow('refused other.test:443')
    },
  )
})
