import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { serveHttp } from './serve-http.ts'

const token = 'fhm_the-token-of-this-test'

const make = () => {
  const server = new McpServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
  server.registerTool('twice', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text: `${text} ${text}` }],
  }))
  return server
}

/** The server on a free port, until the test is over. */
async function begin() {
  const stop = new AbortController()
  let served: Promise<void> | undefined
  const url = await new Promise<string>((onListening, reject) => {
    served = serveHttp({ port: 0, token, make, stop: stop.signal, onListening })
    served.catch(reject)
  })
  onTestFinished(async () => {
    stop.abort()
    await served
  })
  return new URL(url)
}

/** The status of a request with exactly these headers. */
const ask = (url: URL, headers: Record<string, string>, body = '{}') =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
    sent.end(body)
  })

it('a program with the token uses the tools', async () => {
  const url = await begin()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  const { content } = await client.callTool({ name: 'twice', arguments: { text: 'so' } })
  expect(content).toEqual([{ type: 'text', text: 'so so' }])
  await client.close()
})

it('no request is answered without the token, of another host, from another origin, or at another address', async () => {
  const url = await begin()
  const authorization = `Bearer ${token}`
  expect(await ask(url, {})).toBe(401)
  expect(await ask(url, { authorization: 'Bearer fhm_the-token-of-this-tesT' })).toBe(401)
  expect(await ask(url, { authorization: `${authorization}x` })).toBe(401)
  expect(await ask(url, { authorization, host: `evil.example:${url.port}` })).toBe(403)
  expect(await ask(url, { authorization, origin: 'https://evil.example' })).toBe(403)
  expect(await ask(url, { authorization, origin: 'null' })).toBe(403)
  expect(await ask(new URL('/', url), { authorization })).toBe(404)
  expect(await ask(url, { authorization }, 'x'.repeat(2 * 1024 * 1024))).toBe(413)
})
