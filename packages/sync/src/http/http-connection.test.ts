import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { leanFetch } from './lean-fetch.ts'

/** A server that answers its nth request with the nth of these texts, a piece at a time. */
async function serverThat(
  ...answers: string[][]
): Promise<{ url: string; sockets: Socket[]; asked: () => number }> {
  const sockets: Socket[] = []
  let asked = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', async () => {
      for (const piece of answers[Math.min(asked++, answers.length - 1)]!) {
        if (piece === 'FIN') socket.end()
        else if (piece === 'RST') socket.resetAndDestroy()
        else socket.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, asked: () => asked }
}

const textOf = async (url: string) => (await leanFetch(url)).text()
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

describe('a connection to an HTTP/1.1 server', () => {
  it('reads an answer, no matter how it is cut', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n'
    const { url } = await serverThat([...ok], [chunked], [...chunked])
    expect([await textOf(url), await textOf(url), await textOf(url)]).toEqual(['hi', 'hi!', 'hi!'])
  })

  it('waits for the final answer after interim ones', async () => {
    const { url } = await serverThat([
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
      ok,
    ])
    expect(await textOf(url)).toBe('hi')
  })

  it('takes the end of the connection for the end of a body that has no other', async () => {
    const { url, sockets } = await serverThat(['HTTP/1.0 200 OK\r\n\r\nall', ' of it', 'FIN'], [ok])
    expect(await textOf(url)).toBe('all of it')
    expect(await textOf(url)).toBe('hi')
    expect(sockets).toHaveLength(2)
  })

  it.each([
    ['is not HTTP', ['SSH-2.0-OpenSSH_9\r\n\r\n']],
    ['has a header that is none', ['HTTP/1.1 200 OK\r\nnonsense\r\n\r\n']],
    ['has an invalid length', ['HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nhi']],
    ['has an unknown encoding', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n']],
    ['has a head without an end', ['HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(70_000), 'x']],
    ['breaks off in its head', ['HTTP/1.1 200 OK\r\nX', 'FIN']],
    ['breaks off in its body', ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi', 'FIN']],
    [
      'breaks off between chunks',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n', 'FIN'],
    ],
    ['is reset', ['HTTP/1.1 200 OK\r\n\r\nhi', 'RST']],
    [
      'has a chunk that is longer than it says',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nhi\r\n'],
    ],
  ])('throws when an answer %s, and uses that connection no more', async (_, answer) => {
    const { url, sockets } = await serverThat(answer, [ok])
    await expect(textOf(url)).rejects.toBeInstanceOf(Error)
    expect(await textOf(url)).toBe('hi')
    expect(sockets).toHaveLength(2)
  })

  it.each([
    ['it is told to close', ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi']],
    ['it hears more than it asked for', [`${ok}HTTP/1.1 200 OK`]],
    [
      'it may rest for a second only',
      ['HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nhi'],
    ],
  ])('makes a new connection when %s', async (_, answer) => {
    const { url, sockets } = await serverThat(answer, [ok])
    expect([await textOf(url), await textOf(url)]).toEqual(['hi', 'hi'])
    expect(sockets).toHaveLength(2)
  })

  it('makes a new connection when the server has closed the one that rested', async () => {
    const { url, sockets } = await serverThat([ok])
    await textOf(url)
    // Behind the last byte there is only the answer to it: our side has closed its end as well.
    const closed = once(sockets[0]!, 'close')
    sockets[0]!.end()
    await closed
    expect(await textOf(url)).toBe('hi')
    expect(sockets).toHaveLength(2)
  })

  it('makes as many connections as there are requests at once, and finds a server by its name', async () => {
    const { url, sockets } = await serverThat([ok])
    const named = url.replace('127.0.0.1', 'localhost')
    expect(await Promise.all([1, 2, 3].map(() => textOf(named)))).toEqual(['hi', 'hi', 'hi'])
    await Promise.all([1, 2, 3].map(() => textOf(named)))
    expect(sockets).toHaveLength(3)
  })

  it('lets no header begin another one', async () => {
    const { url, asked } = await serverThat([ok])
    const asking = async () => leanFetch(url, { headers: { authorization: 'Bearer x\r\nhost: elsewhere' } })
    await expect(asking()).rejects.toBeInstanceOf(TypeError)
    expect(asked()).toBe(0)
  })
})
