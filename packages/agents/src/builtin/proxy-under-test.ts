import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy that takes every name for a server on this machine, at this port, and has kept what it was asked for. */
export async function proxyUnderTest(port: number) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { pathname } = new URL(request.url ?? '')
    const { method, headers } = request
    const onward = ask({ host: '127.0.0.1', port, path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  server.on('connect', (request, client, head) => {
    asked.push(`CONNECT ${request.url}`)
    const onward = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      onward.write(head)
      onward.pipe(client)
      client.pipe(onward)
    })
    for (const side of [onward, client]) side.on('error', () => {})
    client.once('close', () => onward.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
