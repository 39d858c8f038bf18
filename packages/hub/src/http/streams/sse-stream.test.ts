import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { SseStream } from './sse-stream.ts'

it('W20 a stream that ends leaves nothing on a connection that is used again', async () => {
  const listening: number[] = []
  const sockets = new Set<unknown>()
  const server = createServer((req, res) => {
    sockets.add(req.socket)
    listening.push(req.socket.listenerCount('drain'))
    new SseStream(res, { envelope: 'bare', to: 'everyone', files: 'together' }).reconnect()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  for (let n = 0; n < 3; n++) {
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent })
    const [answer]: IncomingMessage[] = await once(request, 'response')
    expect(await text(answer!)).toContain('event: reconnect')
  }
  expect(sockets.size).toBe(1)
  expect(listening).toEqual([listening[0], listening[0], listening[0]])
})
